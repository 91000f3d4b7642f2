"""Transcripts in, out, and on the screen."""
