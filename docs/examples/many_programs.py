"""One process, many memories: a home is opened once, and narrowed."""

from pathlib import Path

import recollect
from recollect import Scope
from recollect.pool import MemoryPool

Path("notes").mkdir()
Path("notes/MEMORY.md").write_text("The boiler is serviced in October.\n", encoding="utf-8")

# begin narrowed
with recollect.open("my-memory", workspace="notes") as memory:
    ann = memory.within(Scope(user="ann"))
    session = ann.sessions.create(key="agent:main:main")
    ann.sessions.append(session.id, "user", "The boiler rattles.")
    bob = memory.within(Scope(user="bob"))
    print("Ann:", len(ann.search("boiler").hits), "Bob:", len(bob.search("boiler").hits))
# end narrowed

# begin pool
with MemoryPool("my-memory", role="worker") as pool:
    everything = pool.memory(workspace="notes")
    other_tenant = pool.memory(scope=Scope(tenant="acme"))
    print(pool.role, len(everything.search("boiler").hits), len(other_tenant.search("boiler").hits))
# end pool
