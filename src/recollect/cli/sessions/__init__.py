"""`recollect sessions` and what stands below it."""
