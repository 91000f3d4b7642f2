"""What is stored of checkpoints: rows, seals, and the contents of files."""
