"""What a session did to one path, record by record, and how it is taken out of a file again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.checkpoints.files.state import PathState
from recollect.checkpoints.files.tree import PathReading
from recollect.checkpoints.record.contents import Contents
from recollect.checkpoints.record.rows import FileRecord
from recollect.checkpoints.rewind.merge import is_text, merge
from recollect.core.errors import NotFound, StoreCorrupt


class Unmergeable(Exception):  # a reason, not a failure
    """The changes of a session cannot be taken out of a file; says why."""


def lineage_of(trail: Sequence[FileRecord]) -> tuple[PathState | None, bool]:
    """Return what a session left of a path, and whether it holds what others did meanwhile.

    A rewind puts a state back that the path had before: it holds what that state held.
    """
    end_state: PathState | None = trail[0].before
    is_mixed = False
    history: list[_Held] = []
    for record in trail:
        is_mixed = is_mixed or record.before != end_state
        history.append(_Held(record.checkpoint.number, record.before, is_mixed))
        end_state = record.before if record.checkpoint.kind == "manual" else record.after
        if end_state is not None and record.checkpoint.kind == "rescue":
            is_mixed = _is_mixed_again(record, end_state, history)
    return end_state, is_mixed


class _Held(NamedTuple):
    """A path before a record of a checkpoint, and whether it holds what others did."""

    number: int
    state: PathState
    is_mixed: bool


def _is_mixed_again(record: FileRecord, end_state: PathState, history: Sequence[_Held]) -> bool:
    """Return whether a path holds what others did, after the rewind that a record rescued."""
    rescue = record.checkpoint
    number, is_foreign = rescue.coverage.returned_to, record.path in rescue.coverage.foreign
    if is_foreign and rescue.label != "undo":  # a merge leaves in what others did
        return history[-1].is_mixed
    if number and number < history[0].number:
        return is_foreign
    if number:
        return next(each.is_mixed for each in history if each.number >= number)
    alike = [each.is_mixed for each in history if each.state == end_state]
    return is_foreign or any(alike) or not alike


def reverted(
    look: PathReading, trail: Sequence[FileRecord], contents: Contents, most_bytes: int
) -> tuple[bytes, int]:
    """Return the content and mode of a file without what a session did to it.

    What it did without a change of others in between is taken out by one three-way merge, the
    newest first: its base is what the session left, one side is what is there, the other one what
    was there before.

    Raises:
        Unmergeable: the changes overlap, or the path was not a text all the time.
    """
    content, mode = look.content, look.state.mode
    for before, after in reversed(_steps(trail)):
        states = (before, after, look.state)
        if content is None or mode is None or any(state.kind != "file" for state in states):
            raise Unmergeable("it was made, removed or no file meanwhile")
        if max(state.size for state in states) > most_bytes:
            raise Unmergeable("it is too large to merge")
        base, other = _text(contents, after), _text(contents, before)
        if not is_text(content):
            raise Unmergeable("it is not a text")
        content = merge(base, content, other)
        mode = _merged_mode(after.mode, mode, before.mode)
    if content is None or mode is None:
        raise Unmergeable("others changed the same lines")
    return content, mode


def _steps(trail: Sequence[FileRecord]) -> list[tuple[PathState, PathState]]:
    """Return the states before and after what the session did without others in between.

    A rewind that brought the work of others back is theirs.
    """
    steps: list[tuple[PathState, PathState]] = []
    for record in trail:
        is_by_hand = record.checkpoint.kind == "manual"  # it changed nothing
        if is_by_hand or record.path in record.checkpoint.coverage.foreign:
            continue
        if record.after is None:
            raise Unmergeable("it is not known what the tool left")
        if steps and steps[-1][1] == record.before:
            steps[-1] = steps[-1][0], record.after
        else:
            steps.append((record.before, record.after))
    return steps


def _text(contents: Contents, state: PathState) -> bytes:
    try:
        content = contents.get(state.digest or "")
    except (NotFound, StoreCorrupt) as error:
        raise Unmergeable("what it was is not kept any more") from error
    if not is_text(content):
        raise Unmergeable("it is not a text")
    return content


def _merged_mode(base: int | None, one: int, other: int | None) -> int | None:
    if one in {base, other}:
        return other
    return one if other == base else None
