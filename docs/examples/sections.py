"""Memory files that name observations, and a section that recollect keeps in one."""

# start
from pathlib import Path

import recollect

notes = Path("MEMORY.md")
notes.write_text("# Queue\n\nWhy redis: see observation #1\n", encoding="utf-8")

with recollect.open(workspace=".") as memory:
    session = memory.sessions.create(project=str(Path.cwd()))
    memory.observations.record(session.id, type="decision", title="Redis for the queue")

    hit = memory.search("why redis", sources=["memory"]).hits[0]
    print([(link.line, f"#{link.number}", link.title) for link in hit.links])
    named = memory.get("#1").found[0]
    print([f"{link.path}:{link.line}" for link in named.links])

    done = memory.sections.sync(notes)
    print(done.outcome, done.numbers, memory.context(session.id).items)
    print(notes.read_text(encoding="utf-8"))

    print(memory.sections.sync(notes, remove=True).outcome)
# end
