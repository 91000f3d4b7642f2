"""Questions about how things are now, and about what the assistant said."""

import tempfile
from datetime import UTC, datetime

import recollect

TALKS = (
    (1, (("user", "Clara has her piano lesson on Tuesdays."),)),
    (5, (("user", "My left shin hurts."), ("assistant", "Skip the intervals, and ice the shin."))),
    (9, (("user", "Clara's new teacher gives the piano lesson on Fridays."),)),
)

with tempfile.TemporaryDirectory() as home, recollect.open(home) as memory:
    for month, talk in TALKS:
        session = memory.sessions.create()
        for role, text in talk:
            memory.sessions.append(session.id, role, text, at=datetime(2025, month, 3, tzinfo=UTC))
    memory.sync()
    for question in (
        "when is Clara's piano lesson?",
        "when is Clara's piano lesson nowadays?",
        "what did you say about my shin?",
        "Was hast du zu meinem shin gesagt?",
    ):
        print(question, "->", memory.search(question, 1, mode="lexical").hits[0].snippet)
