"""The writing side: from a document to its rows, generation by generation."""
