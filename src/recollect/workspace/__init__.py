"""Floor 2: memory files, the Markdown of a workspace: listing, reading, watching."""
