"""What was said when: as a filter, and in the words of the question."""

import tempfile
from datetime import timedelta

import recollect
from recollect.core.clock import SystemClock, to_datetime

now = to_datetime(SystemClock().now_ms())
with tempfile.TemporaryDirectory() as home, recollect.open(home) as memory:
    session = memory.sessions.create()
    for days, text in ((30, "The gasket is ordered."), (1, "The gasket came.")):
        memory.sessions.append(session.id, "user", text, at=now - timedelta(days=days))
    memory.sync()
    older = memory.search("gasket", until=now - timedelta(days=20))
    print([hit.snippet for hit in older.hits])
    newest = memory.search("what about the gasket yesterday?", 1)
    print([hit.snippet for hit in newest.hits])
