"""`recollect sessions tree`: what a session was forked from and what followed it, drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec
import typer

from recollect.cli.addresses import short
from recollect.cli.help import App
from recollect.cli.invocation import answer, opened
from recollect.cli.output.formatting import count, moment
from recollect.cli.output.sanitize import one_line
from recollect.cli.output.screen import show
from recollect.cli.sessions.lines import Name, title_of

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.record.lineage import Branch
    from recollect.sessions.record.session import Session
    from recollect.sessions.sessions import Sessions

app = App()


class TreeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the drawing.

    Attributes:
        depth: How many branches it is away from the trunk.
        relation: ``root``, ``fork`` or ``reset``.
        prefix: The lines to its left.
        session: The session itself.
    """

    depth: int
    relation: str
    prefix: str
    session: Session


@app.command("tree")
def show_tree(context: typer.Context, session: Name) -> None:
    """Draw the forks and resets that a session belongs to.

    A session that took the place of another under its key is shown below it, a fork to its right.
    """
    with opened(context) as memory:
        chosen = memory.sessions.find(session)
        rows = list(tree_rows(memory.sessions.lineage(chosen.id)))
        branches = [
            {"depth": row.depth, "relation": row.relation, "session": row.session} for row in rows
        ]
        document = {"session": chosen.id, "branches": branches}
        answer(context, document, lambda: _show(memory.sessions, rows, chosen))


def tree_rows(root: Branch) -> Iterator[TreeRow]:
    """Yield the lines of a tree from its root down.

    The newest session that followed under the key goes on in the column of the one before, so that
    a key which is reset every day makes a list and no staircase.
    """
    waiting = [(root, 0, "", "")]
    while waiting:
        branch, depth, prefix, left = waiting.pop()
        yield TreeRow(depth=depth, relation=branch.relation, prefix=prefix, session=branch.session)
        branches = list(branch.branches)
        resets = [child for child in branches if child.relation == "reset"]
        if resets:
            branches.remove(resets[-1])
            waiting.append((resets[-1], depth, left, left))
        for place, child in enumerate(reversed(branches)):
            is_last = place == 0 and not resets
            inner = left + ("   " if is_last else "│  ")
            waiting.append((child, depth + 1, left + ("└─ " if is_last else "├─ "), inner))


def _show(sessions: Sessions, rows: list[TreeRow], chosen: Session) -> None:
    for row in rows:
        session = row.session
        mark = "  ◀" if session.id == chosen.id else ""
        state = "" if session.status == "active" else f", {session.status}"
        show(
            (row.prefix, "dim"),
            (short(session.id), "cyan"),
            (f"  {_relation(row)}{one_line(title_of(sessions, session))}", "bold"),
            (f"  {moment(session.updated_at)}", ""),
            (f", {count(session.message_count, 'message')}{state}", "dim"),
            (mark, "yellow"),
        )


def _relation(row: TreeRow) -> str:
    if row.relation == "fork":
        return f"fork at {row.session.forked_at_seq}: "
    return "then: " if row.relation == "reset" else ""
