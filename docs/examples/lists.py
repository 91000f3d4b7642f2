"""Questions for a list: messages that name a thing of the kind come first."""

import tempfile

import recollect

TALKS = (
    ("Ana", "Pets are a lot of work, and the vet has no time."),
    ("Ana", "The hamster fell ill on Sunday."),
    ("Ben", "Poor thing!"),
    ("Ana", "Pets cost money, too."),
    ("Ana", "My goldfish has a new tank."),
)

with tempfile.TemporaryDirectory() as home, recollect.open(home) as memory:
    session = memory.sessions.create()
    for name, text in TALKS:
        memory.sessions.append(session.id, "user", text, name=name)
    memory.sync()
    for hit in memory.search("what pets does Ana have?", 3, mode="lexical").hits:
        print(f"{hit.why.get('kind', 0):.2f}", hit.name, hit.snippet)
