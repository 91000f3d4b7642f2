"""`recollect sync` and `recollect reindex`."""
