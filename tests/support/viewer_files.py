"""A workspace with memory files, and a tree that an agent changed, with one path in conflict."""

from __future__ import annotations

from pathlib import Path

import recollect
from recollect.memory import Memory
from tests.support.viewer_home import OVERRIDES
from tests.support.viewer_views import View

FILE_VIEWS = (
    View(name="files", address="#/files/memory/MEMORY.md?line=7", shows=".files-block.marked"),
    View(name="files-source", address="#/files/memory/MEMORY.md?as=source", shows=".lines-line"),
    View(name="files-checkpoint", address="#/files/checkpoints/c1", shows=".files-foot"),
    View(name="files-rewinds", address="#/files/rewinds", shows=".row, .empty"),
)
TITLE = "The cart counts wrong"
NOTES = """\
# Harbour

What we know of the **tides**, and who asked; see <https://tides.example/low?day=1>.

## Decisions

- The queue is *Redis*, not `sqlite`
- Times are written with their zone
    1. in tables
    2. on the board
- [x] tell Mara
- [ ] 港の掲示板を二か国語にする

> Low water comes an hour earlier
> than the table says.

| day | low water | who |
|-----|-----------|-----|
| Mon | 04:12     | Ana |
| Tue | 05:01     | Mara |

```python
def tide_at(zone: str) -> float:
    return 1.2  # a fence keeps <b>markup</b> as it is
```

## ملاحظات

ميناء الإسكندرية يغلق عند منتصف الليل، و[الجدول](https://tides.example/ar) يقول غير ذلك.

---

A line that names [nothing](javascript:alert(1)) and <script>alert(1)</script>.
"""
LONG = "\n".join(f"Line {number} of a long list of tides." for number in range(3_000))
CART = "".join(f"def step_{number}():\n    return {number}\n\n\n" for number in range(6))
OWN = "notes of the agent\nsecond line\nthird line\n"


def fill_files(home: Path, folder: Path) -> Path:
    """Write memory files, and a session that changed a tree; return the root of the tree.

    ``c1`` is before the tool ran, ``notes.txt`` is in conflict since a person changed it.
    """
    workspace, shop = folder / "workspace", folder / "shop"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text(NOTES, "utf-8")
    (workspace / "memory" / "2026-05-04.md").write_text(f"# Tides\n\n{LONG}\n", "utf-8")
    (workspace / "memory" / "ملاحظات.md").write_text("# شاي\n\nأخضر\n", "utf-8")
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.yaml").write_text(f"workspace: {{path: {workspace}}}\n", "utf-8")
    with recollect.open(home, workspace=workspace, overrides=OVERRIDES) as memory:
        _changed(memory, shop)
        memory.sync()
    return shop


def _changed(memory: Memory, shop: Path) -> None:
    shop.mkdir()
    (shop / "cart.py").write_text(CART, "utf-8")
    (shop / "notes.txt").write_text("first line\nsecond line\nthird line\n", "utf-8")
    session = memory.sessions.create(title=TITLE)
    memory.sessions.append(session.id, "user", "Rewrite the cart.")
    with memory.checkpoints.around(session.id, shop, tool_name="Bash"):
        (shop / "cart.py").write_text(CART.replace("return 3", "return 3 * total"), "utf-8")
        (shop / "notes.txt").write_text(OWN, "utf-8")
        (shop / "new.py").write_text("total = 1\n", "utf-8")
    memory.sessions.append(session.id, "assistant", "It is rewritten.")
    memory.checkpoints.take(session.id, shop, label="Before the release")
    (shop / "notes.txt").write_text(f"{OWN}a line of mine\n", "utf-8")
