"""The external command `qmd` searches memory files; where it fails, our index answers."""
