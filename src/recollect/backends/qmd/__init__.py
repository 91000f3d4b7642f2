"""The external command `qmd` searches memory files; where it fails, the builtin index answers."""
