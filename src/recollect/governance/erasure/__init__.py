"""Erasure: what is selected, what goes of it, and the receipt."""
