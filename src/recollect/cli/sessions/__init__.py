"""`recollect sessions` and its subcommands."""
