"""Recover: the records are lost, the readable transcripts are not."""

# start
from pathlib import Path

import recollect

with recollect.open("my-memory", live=False) as memory:
    session = memory.sessions.create(title="Lanterns")
    memory.sessions.append(session.id, "user", "The lanterns hang in the barn.")

Path("my-memory/records.db").unlink()

try:
    recollect.open("my-memory")
except recollect.RecollectError as error:
    print(error.code)

print(recollect.recover("my-memory", dry_run=True).messages, "would come back")
report = recollect.recover("my-memory")
print(report.sessions, report.messages, report.damaged_count)

with recollect.open("my-memory") as memory:
    print(memory.sessions.get(session.id).title, len(memory.search("lanterns").hits))
# end
