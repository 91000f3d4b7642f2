"""What a session left of one path, and whether the work of others is in it."""

from __future__ import annotations

from recollect.checkpoints.files.state import PathState
from recollect.checkpoints.record.rows import Checkpoint, CheckpointKind, Coverage, FileRecord
from recollect.checkpoints.rewind.reverted import lineage_of


def _record(
    number: int, before: str, after: str, kind: CheckpointKind = "tool", returned_to: int = 0
) -> FileRecord:
    checkpoint = Checkpoint(
        id=f"{number:036}",
        number=number,
        session_id="s",
        seq=number,
        user_message_id=None,
        kind=kind,
        label="rewind" if kind == "rescue" else None,
        actor=None,
        tool_name=None,
        tool_use_id=None,
        root="/srv/app",
        coverage=Coverage(returned_to=returned_to),
        created_at=number,
    )
    return FileRecord(checkpoint=checkpoint, path="a.txt", before=_file(before), after=_file(after))


def _file(digest: str) -> PathState:
    return PathState(kind="file", digest=digest, mode=0o644)


def test_a_rewind_of_one_sub_agent_brings_back_what_the_user_did_before_it() -> None:
    """Its records begin after the work of the user; the checkpoint it names lies before that."""
    trail = [
        _record(1, "zero", "main"),
        _record(2, "user", "helper"),
        _record(3, "helper", "user", "rescue"),
    ]
    assert lineage_of(trail) == (_file("user"), True)


def test_a_rewind_of_unknown_reach_to_an_unknown_state_is_not_trusted() -> None:
    """It may be the user's."""
    trail = [_record(1, "zero", "main"), _record(2, "main", "by hand", "rescue")]
    assert lineage_of(trail) == (_file("by hand"), True)


def test_a_rewind_of_the_whole_session_is_judged_by_its_moment() -> None:
    """Before the user came it is clean, after that it is not."""
    trail = [_record(1, "zero", "one"), _record(2, "user", "two")]
    for number, is_mixed in ((1, False), (2, True)):
        after = "zero" if number == 1 else "user"
        rescue = _record(3, "two", after, "rescue", number)
        assert lineage_of([*trail, rescue]) == (_file(after), is_mixed)
