"""Types and titles that the rules make of what happened; docs/observations.md shows it."""

from __future__ import annotations

import recollect

# start
COMMIT = """git add -A && git commit -m "$(cat <<'EOF'
Fix the cold pot

It was never heated.
EOF
)" && git push"""


def observe() -> list[str]:
    """Return the type and the title of some moments."""
    with recollect.open() as memory:
        record = memory.observations.record
        session = memory.sessions.create(project="/srv/tea").id
        record(session, event="prompt", input="Use Postgres instead of Redis for the queue.")
        record(session, event="prompt", input="Should we use Postgres instead of Redis?")
        record(session, event="answer", output="PR approved and merged.")
        record(session, "Edit", input={"file_path": "/srv/tea/src/pot.py"})
        record(session, "Bash", input={"command": COMMIT})
        tests = {"command": "cd /srv/tea && pytest -q | tail -3"}
        record(session, "Bash", input=tests, output="2 failed, 40 passed in 3.1s")
        record(session, "Bash", input={"command": "git status && ls"})
        newest = memory.observations.list(limit=7)
    return [f"{each.type}: {each.title}" for each in reversed(newest)]


# end


if __name__ == "__main__":
    print("\n".join(observe()))
