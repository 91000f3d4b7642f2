"""`recollect config`, and the file that it edits."""
