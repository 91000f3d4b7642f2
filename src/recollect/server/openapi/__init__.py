"""The description of the API: the document, and what its fields mean."""
