"""The external command `qmd` searches memory files; when it fails the builtin index answers."""
