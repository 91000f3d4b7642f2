"""Sessions: find the current one by its key, append safely, read in order."""

from datetime import UTC, datetime

# start
import recollect

KEY = "agent:main:telegram:acc:direct:42"

with recollect.open("my-memory") as memory:
    session = memory.sessions.open(KEY)
    assert memory.sessions.open(KEY).id == session.id  # still fresh

    first = memory.sessions.append(
        session.id,
        "user",
        "Where was the ramen shop? ラーメン屋「三日月」?",
        name="Mira",
        at=datetime(2026, 4, 18, 16, 10, tzinfo=UTC),
        event_id="telegram-9001",
    )
    # The bot was restarted and delivers the update again: still one message.
    again = memory.sessions.append(session.id, "user", "…", event_id="telegram-9001")
    assert again.id == first.id

    memory.sessions.append_many(
        session.id,
        [("assistant", "Behind Bolhão market, six seats."), ("user", "That is the one.")],
    )
    for message in memory.sessions.messages(session.id):
        print(message.seq, message.role, message.text)
# end
