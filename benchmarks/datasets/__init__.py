"""Data sets and synthetic corpora as conversations, questions and documents."""
