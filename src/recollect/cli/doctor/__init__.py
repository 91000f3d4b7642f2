"""`recollect doctor`: what it checks, and what it repairs."""
