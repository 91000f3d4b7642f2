"""Plans and rewinds on a terminal: what becomes of each path, and what to do about the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.cli.output.formatting import count, size
from recollect.cli.output.screen import next_steps, one_line, say, show

if TYPE_CHECKING:  # for a name only
    from recollect.answers.checkpoint import PathAnswer, RewindAnswer, RewindLine

MOST_LINES = 60
"""Of the diff of one path on the screen; the JSON document has all of it."""
_STYLES = {
    "restore": "green",
    "recreate": "green",
    "chmod": "green",
    "relink": "green",
    "merge": "green",
    "delete": "red",
    "conflict": "bold red",
    "uncaptured": "yellow",
    "outside": "yellow",
}
_DIFF = {"+": "green", "-": "red", "@": "cyan"}
_COUNTED = {
    "restore": ("to restore", "restored"),
    "recreate": ("to make again", "made again"),
    "chmod": ("to give other permissions", "given other permissions"),
    "relink": ("to link again", "linked again"),
    "merge": ("to merge", "merged"),
    "delete": ("to delete", "deleted"),
    "skip": ("left", "left"),
    "already": ("as before already", "as before already"),
    "conflict": ("in conflict", "in conflict and left"),
    "uncaptured": ("not kept", "not kept and left"),
    "outside": ("behind a link", "behind a link and left"),
}
"""By name of a count: what is said of a plan, and of a rewind."""
_HEADS = {
    "planned": "nothing was changed",
    "done": "done",
    "rolled_back": "put back after a failure",
    "interrupted": "interrupted",
    "applying": "not finished",
}


def show_items(document: RewindAnswer, *, with_diffs: bool) -> None:
    """Print what becomes of each path that is not as before already."""
    for item in document.items:
        if item.status != "already":
            _show_item(item, with_diff=with_diffs)


def show_summary(document: RewindAnswer) -> None:
    """Print how many paths there are of each kind, and what to do next."""
    is_done = document.status != "planned"
    counts = ", ".join(
        f"{number:,} {_COUNTED[name][is_done]}" for name, number in document.counts.items()
    )
    style = "bold green" if document.status in {"planned", "done"} else "bold red"
    if document.first_seq is not None:
        counts += ", " if counts else ""
        counts += f"messages {document.first_seq} to {document.last_seq} "
        counts += "return" if document.type == "undo" else "leave"
    text = f": {document.type} in {one_line(document.root)}: {counts or 'nothing to put back'}"
    show((_HEADS[document.status], style), (text, ""))
    if document.status == "done":
        back = "redo" if document.type == "undo" else "undo"
        of = document.rewind_id if document.type == "rewind" else document.target
        next_steps([(f"recollect rewind --{back} {of}", "take that back")])
    elif any(item.choice == "stop" for item in document.items):
        _show_choices(document)


def show_rewinds(rewinds: Sequence[RewindAnswer]) -> None:
    """Print the rewinds of a session, one line each."""
    if not rewinds:
        say(("no rewinds", "dim"))
    for each in rewinds:
        show(
            (each.rewind_id or "", "cyan"),
            (f"  {(each.created_at or '')[:16].replace('T', ' ')}", "dim"),
            (f"  {each.type} {each.target}", ""),
            (f"  {count(len(each.items), 'path')}, {each.status}", ""),
        )


def _show_item(item: RewindLine, *, with_diff: bool) -> None:
    word = item.action if item.status == "clean" else item.status
    reason = f"  {item.reason}" if item.reason else ""
    show(
        (f"{word:<11}", _STYLES.get(word, "dim")),
        (one_line(item.path), "bold"),
        (f"  {_change(item.current, item.target)}{reason}", "dim"),
    )
    rows = (item.diff or "").splitlines()[2:] if with_diff else []
    for row in rows[:MOST_LINES]:
        show(("    ", ""), (row, _DIFF.get(row[:1], "dim")))
    if len(rows) > MOST_LINES:
        show((f"    … {len(rows) - MOST_LINES:,} more lines: --json has them", "dim"))


def _change(current: PathAnswer, target: PathAnswer) -> str:
    one, other = _shown(current), _shown(target)
    return one if one == other else f"{one} -> {other}"


def _shown(of: PathAnswer) -> str:
    if of.kind == "file":
        return f"{size(of.size or 0)} {of.mode}"
    if of.kind == "symlink":
        return f"link to {one_line(of.link or '')}"
    return {"absent": "nothing", "uncaptured": "not kept"}.get(of.kind, of.kind)


def _show_choices(document: RewindAnswer) -> None:
    command = f"recollect rewind {document.target}"
    next_steps(
        [
            (f"{command} --keep", "leave what somebody else changed as it is"),
            (f"{command} --merge", "take out only what the session did to it"),
            (f"{command} --force", "put it back too; --undo brings it back"),
            (f"{command} --paths PATH", "put back only this"),
        ]
    )
