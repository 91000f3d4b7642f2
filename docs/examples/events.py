"""Events: read what was done, and be called when something is."""

# start
import recollect
from recollect.core.events import MessagesAppended
from recollect.store.journal import RecordedEvent


def told(recorded: RecordedEvent) -> None:
    """Is called on a thread of its own."""
    if isinstance(recorded.event, MessagesAppended):
        print("called:", recorded.event.first_seq, recorded.event.count)


with recollect.open("my-memory") as memory:
    seen = memory.events.last_seq()
    memory.events.subscribe(told, types=["messages.appended"])

    session = memory.sessions.create(title="Harvest")
    memory.sessions.append(session.id, "user", "When is the first flush?")
    memory.sessions.append(session.id, "assistant", "In March.")

    for recorded in memory.events.since(seen, session_id=session.id):
        print("read:", recorded.seq, type(recorded.event).__name__)
# end
