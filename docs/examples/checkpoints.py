"""Checkpoints: what a tool did is put back, what a person did stays, and all of it is undone."""

# start
from pathlib import Path

import recollect

shop = Path("shop")
shop.mkdir()
(shop / "cart.py").write_text("total = 0\n")

with recollect.open("my-memory") as memory:
    session = memory.sessions.create(title="The cart")
    asked = memory.sessions.append(session.id, "user", "Rewrite the cart.")
    with memory.checkpoints.around(session.id, shop, tool_name="Bash"):
        (shop / "cart.py").write_text("total = 1\n")
        (shop / "notes.txt").write_text("draft\n")
    (shop / "notes.txt").write_text("draft, and a line of mine\n")  # a person

    plan = memory.checkpoints.plan(f"m{asked.number}")
    for item in plan.items:
        print(item.path, item.action, item.status)
    try:
        memory.checkpoints.apply(plan)
    except recollect.RecollectError as conflict:
        print(conflict.code, conflict.facts["paths"])

    kept = memory.checkpoints.plan(plan.checkpoint, on_conflict="keep")
    done = memory.checkpoints.apply(kept)
    print((shop / "cart.py").read_text(), end="")
    memory.checkpoints.undo(done.id)
    print((shop / "cart.py").read_text(), end="")
# end
