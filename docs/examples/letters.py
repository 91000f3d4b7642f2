"""Letters that a keyboard lacks: names are found as they are typed, and shown as they are."""

import tempfile

import recollect

with tempfile.TemporaryDirectory() as home, recollect.open(home) as memory:
    session = memory.sessions.create()
    for text in ("Sørensen ships the lamps.", "Þór pays on Fridays.", "Łukasz has the key."):
        memory.sessions.append(session.id, "user", text)
    memory.sync()
    for typed in ("sorensen", "thor", "lukasz", "ŁUKASZ"):
        print(typed, "->", memory.search(typed, 1, mode="lexical").hits[0].snippet)
