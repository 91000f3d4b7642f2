"""`recollect checkpoint` and `recollect rewind`."""
