"""`recollect init` and `recollect demo`."""
