"""Floor 1: pure functions of text. Tokens, chunks, terms, query cues, snippets, redaction.

Nothing here knows of files, databases, time or settings; the same text gives the same answer.
"""
