"""One file for each foreign format of transcripts."""
