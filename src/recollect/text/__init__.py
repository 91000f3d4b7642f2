"""Floor 1: pure functions of text. Tokens, chunks, terms, cues, snippets, redaction.

Nothing here knows of files, databases, time or settings; the same text gives the same answer.
"""
