"""What a sync would take, before it is done."""

# start
from pathlib import Path

import recollect

Path("MEMORY.md").write_text("The stock sync is looked at before a deploy.\n", encoding="utf-8")
with recollect.open(workspace=".") as memory:
    found = memory.preview(reindex=True)
    print(f"read {found.documents}, embed {found.texts} with {found.model}: {found.usd} USD")
    if not found.is_paid:
        memory.reindex()
    print(memory.status().index.documents)
# end
