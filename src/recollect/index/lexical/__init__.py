"""The lexical index: our own postings, kept as rows of blobs (see docs/adr/0001)."""
