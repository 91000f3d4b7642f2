"""Annotations of memory files."""

# start
from pathlib import Path

import recollect

Path("MEMORY.md").write_text(
    """\
# Deploys

- Look at the stock sync first. <!-- trigger: before a deploy, release checklist -->
- The shop restarts in two seconds. <!-- importance: 3 --> <!-- project: kranich -->
""",
    encoding="utf-8",
)
with recollect.open(workspace=".") as memory:
    hit = memory.search("What do I do before a deploy?").hits[0]
    print(hit.citation, hit.triggers)
    print(hit.snippet)
# end
