"""A pattern that came late, and what was stored before it."""

# start
import recollect

with recollect.open("my-memory") as memory:
    session = memory.sessions.create()
    memory.sessions.append(session.id, "user", "The badge is ACME-204411.")

with recollect.open("my-memory", overrides={"privacy.patterns": ["ACME-[0-9]{6}"]}) as memory:
    print(memory.scrub(dry_run=True).rows)
    receipt = memory.scrub()
    print(receipt.secrets, receipt.is_clean)
    print(memory.sessions.messages(session.id)[0].text[:24])
# end
