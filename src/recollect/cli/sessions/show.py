"""`recollect sessions show`, all that is known of one session, and `tree`, where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec
import typer

from recollect.cli.addresses import short
from recollect.cli.help import App
from recollect.cli.invocation import answer, opened
from recollect.cli.output.formatting import count, moment
from recollect.cli.output.screen import one_line, show, show_pairs
from recollect.cli.sessions.lines import Name
from recollect.recall.steps.session_titles import title_of

if TYPE_CHECKING:  # for a name only
    from recollect.answers.session import ShownSession
    from recollect.sessions.record.lineage import Branch
    from recollect.sessions.record.session import Session
    from recollect.sessions.sessions import Sessions

app = App()


@app.command("show")
def show_session(context: typer.Context, session: Name) -> None:
    """Show the details of a session, and which program holds it."""
    with opened(context) as memory:
        target = memory.sessions.find(session)
        lease = memory.sessions.lease(target.id)
        compactions = memory.sessions.compactions(target.id)
        grown = _grown(memory.sessions.lineage(target.id), target.id)
    from recollect.answers.session import ShownSession

    of = msgspec.structs.asdict(target)
    document = ShownSession(**of, lease=lease, compactions=compactions, grown=grown)
    answer(context, document, lambda: _show(document))


def _grown(root: Branch, session_id: str) -> dict[str, list[str]]:
    """Return the ids of the forks of a session, and of those that followed it under its key."""
    grown = next(b.branches for b in _branches(root) if b.session.id == session_id)
    return {
        relation: [branch.session.id for branch in grown if branch.relation == relation]
        for relation in ("fork", "reset")
    }


def _branches(root: Branch) -> Iterator[Branch]:
    waiting = [root]
    while waiting:
        branch = waiting.pop()
        yield branch
        waiting.extend(branch.branches)


def _show(session: ShownSession) -> None:
    lease, grown = session.lease, session.grown
    rows = _who(session) | _counts(session) | _lineage(session)
    rows["forks"] = ", ".join(map(short, grown["fork"]))
    rows["followed by"] = ", ".join(map(short, grown["reset"]))
    rows["held by"] = None if lease is None else f"{lease.holder} until {moment(lease.expires_at)}"
    show_pairs((name, value) for name, value in rows.items() if value)


def _who(session: Session) -> dict[str, str | None]:
    return {
        "id": session.id,
        "title": session.title,
        "status": session.status,
        "key": session.key,
        "mode": session.mode,
        "agent": session.agent,
        "user": session.user,
        "project": session.project,
        "channel": session.channel,
        "model": session.model,
    }


def _counts(session: Session) -> dict[str, str | None]:
    inherited = session.forked_at_seq
    own = f"{session.message_count:,}" + (f" and {inherited:,} that it shares" if inherited else "")
    cached = f", {session.cache_tokens:,} of them cached" if session.cache_tokens else ""
    tokens = f"{session.input_tokens:,} read{cached}, {session.output_tokens:,} written"
    return {
        "messages": own,
        "began": moment(session.created_at),
        "last message": moment(session.updated_at),
        "tokens": tokens if session.total_tokens else None,
        "last prompt": f"{session.context_tokens:,} tokens" if session.context_tokens else None,
        "compactions": f"{session.compaction_count:,}" if session.compaction_count else None,
        "last flush": _flush(session),
    }


def _flush(session: Session) -> str | None:
    failed = f"{session.flush_failures} failed since" if session.flush_failures else ""
    if session.flushed_at is None:
        return failed.replace("since", "so far") or None
    return ", ".join(part for part in (moment(session.flushed_at), failed) if part)


def _lineage(session: Session) -> dict[str, str | None]:
    parent, before = session.parent_id, session.previous_id
    return {
        "fork of": None if parent is None else f"{short(parent)} at {session.forked_at_seq}",
        "follows": None if before is None else short(before),
        "imported from": session.source,
        "its id there": session.foreign_id,
    }


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
        target = memory.sessions.find(session)
        rows = list(tree_rows(memory.sessions.lineage(target.id)))
        from recollect.answers.session import SessionBranch, SessionTree

        branches = [
            SessionBranch(depth=row.depth, relation=row.relation, session=row.session)
            for row in rows
        ]
        tree = SessionTree(session=target.id, branches=branches)
        answer(context, tree, lambda: _draw(memory.sessions, rows, target))


def tree_rows(root: Branch) -> Iterator[TreeRow]:
    """Yield the lines of a tree from its root down.

    The newest session that followed under the key goes on in the column of the one before, so that
    a key which is reset every day makes a list and no staircase.
    """
    waiting = [(root, 0, "", "")]
    while waiting:
        branch, depth, prefix, remaining = waiting.pop()
        yield TreeRow(depth=depth, relation=branch.relation, prefix=prefix, session=branch.session)
        branches = list(branch.branches)
        resets = [child for child in branches if child.relation == "reset"]
        if resets:
            branches.remove(resets[-1])
            waiting.append((resets[-1], depth, remaining, remaining))
        for position, child in enumerate(reversed(branches)):
            is_last = position == 0 and not resets
            inner = remaining + ("   " if is_last else "│  ")
            waiting.append((child, depth + 1, remaining + ("└─ " if is_last else "├─ "), inner))


def _draw(sessions: Sessions, rows: list[TreeRow], target: Session) -> None:
    for row in rows:
        session = row.session
        mark = "  ◀" if session.id == target.id else ""
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
