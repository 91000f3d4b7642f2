"""Markdown as memory files have it: fences, entries with annotations, sections, mentions."""
