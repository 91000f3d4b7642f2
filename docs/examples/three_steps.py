"""Recall in three steps: index lines, a timeline, details."""

import recollect

with recollect.open("tea-memory", overrides={"embedding.provider": "none"}) as memory:
    session = memory.sessions.create(project="/srv/shop")
    memory.sessions.append(session.id, "user", "The queue loses orders at night.")
    for service in ("orders", "invoices", "post"):
        memory.observations.record(
            session.id,
            tool_name="Bash",
            input={"command": f"journalctl -u {service}"},
            output=f"{service}: connection reset by peer\n" * 2_000,
            summary=f"Read the log of {service}: the connection to redis is reset",
        )
    memory.observations.record(
        session.id, type="bugfix", summary="Raised the idle timeout of redis to an hour"
    )
    memory.sessions.append(session.id, "assistant", "Orders stay now: redis closed idle clients.")

    # start
    # 1. Search: a line for each hit, and what all of it would cost.
    result = memory.search("redis connection orders", limit=3)
    found = memory.lines(result)
    for line in found.lines:
        print(line.text)
    print(found.tokens < 200, sum(line.tokens for line in found.lines) > 10_000)

    # 2. Timeline: what was said and done around one of them.
    around = memory.observations.timeline("#1", before=1, after=4)
    print([line.name for line in around.lines], around.tokens < 300)

    # 3. Details: only what is needed, of any kind; each at most 1,000 tokens.
    batch = memory.get(["#4", "m2", "#1", "#99"])
    print([each.name for each in batch.found], batch.missing)
    print(batch.found[0].record.summary, batch.tokens < 1_200)
    whole = memory.get("#1", max_tokens=None)
    print(whole.tokens > 10_000)
    # end
