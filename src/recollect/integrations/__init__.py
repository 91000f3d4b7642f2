"""Agent programs that recollect connects to: one room each, and what installs all of them."""
