"""A store of sessions: it survives restarts, saves by itself, and is pruned when asked."""

# start
from datetime import UTC, datetime

import recollect

LONG_AGO = datetime(2024, 11, 3, tzinfo=UTC)

with recollect.open("store") as memory:
    old = memory.sessions.create(title="Harvest", at=LONG_AGO)
    memory.sessions.append(old.id, "user", "We decided to buy from Mira.", at=LONG_AGO)
    new = memory.sessions.create(title="Delivery")
    memory.sessions.append(new.id, "user", "Thursdays.")  # save: durable when it returns

with recollect.open("store") as memory:  # after a restart
    print(memory.sessions.get(new.id).title, memory.sessions.get(old.id).title)

# No cap is set by default, and nothing is ever removed. With one, also once a day by itself:
with recollect.open("store", overrides={"sessions.retention.days": 30}) as memory:
    receipt = memory.prune()  # an episode of what goes is written first
    print([session.title for session in memory.sessions.list()], receipt.is_clean)
# end
