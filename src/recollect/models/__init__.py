"""Floor 1: embedders behind one port, their registry and their installation."""
