"""Import and export of transcripts of other programs."""
