"""Retention: caps, a dry run, and the receipt."""

# start
import recollect

CAPS = {"sessions.retention.max_messages": 100}

with recollect.open("my-memory", overrides=CAPS) as memory:
    session = memory.sessions.create(title="A long year")
    for day in range(80):
        memory.sessions.append_many(
            session.id, [("user", f"Day {day}?"), ("assistant", f"Report of day {day}.")]
        )

    print(memory.prune(dry_run=True).messages, "messages would go")
    receipt = memory.prune()
    print(receipt.messages, receipt.by_reason["messages"].bytes, receipt.is_clean)
    print(memory.sessions.messages(session.id)[0].text)
# end
