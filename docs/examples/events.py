"""Events: read what was done, and be called when something is."""

# start
import recollect

with recollect.open("my-memory") as memory:
    seen = memory.events.last_seq()
    memory.events.subscribe(
        lambda recorded: print("called:", recorded.event.first_seq, recorded.event.count),
        types=["messages.appended"],
    )

    session = memory.sessions.create(title="Harvest")
    memory.sessions.append(session.id, "user", "When is the first flush?")
    memory.sessions.append(session.id, "assistant", "In March.")

    for recorded in memory.events.since(seen, session_id=session.id):
        print("read:", recorded.seq, type(recorded.event).__name__)
# end
