"""Knowledge: what was stated, what replaced what, and so what holds now."""
