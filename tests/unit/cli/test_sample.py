"""The demo's home is its own: made once, used again, and never somebody else's."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.cli.setup import sample
from recollect.cli.setup.sample import prepare, read_questions, transcripts_of, workspace_of
from recollect.core.errors import Conflict, StoreError
from recollect.core.settings import load_settings


def test_a_new_home_holds_the_whole_sample(home: Path) -> None:
    """And its settings name the workspace."""
    assert prepare(home) is False
    for part, copied in (("workspace", workspace_of(home)), ("transcripts", transcripts_of(home))):
        source = sample.SOURCE / part
        names = {path.relative_to(source) for path in source.rglob("*")}
        assert {path.relative_to(copied) for path in copied.rglob("*")} == names
    assert load_settings(home, environ={}).settings.workspace.path == str(workspace_of(home))


def test_the_second_time_everything_is_there(home: Path) -> None:
    """And left as it is, with what was indexed."""
    prepare(home)
    (home / "records.db").write_bytes(b"kept")
    assert prepare(home) is True
    assert (home / "records.db").read_bytes() == b"kept"


@pytest.mark.parametrize("why", ["asked", "another sample", "killed"])
def test_it_is_made_anew(home: Path, why: str) -> None:
    """When asked, when the sample is another one, when the first copy was killed."""
    prepare(home)
    (home / "records.db").write_bytes(b"old")
    if why == "another sample":
        (home / sample.MARKER).write_text('{"sample": "1234"}', encoding="utf-8")
    if why == "killed":
        (home / sample.MARKER).write_text('{"sample": ""}', encoding="utf-8")
    assert prepare(home, fresh=why == "asked") is False
    assert not (home / "records.db").exists()


@pytest.mark.parametrize("name", ["records.db", "config.yaml", "letters.txt"])
def test_a_folder_with_something_else_is_refused(home: Path, name: str) -> None:
    """Also when it should be made anew."""
    home.mkdir()
    (home / name).write_text("mine", encoding="utf-8")
    for fresh in (False, True):
        with pytest.raises(Conflict):
            prepare(home, fresh=fresh)
    assert (home / name).read_text("utf-8") == "mine"


def test_a_marker_that_cannot_be_read_is_refused(home: Path) -> None:
    """Nobody can tell whose the folder is."""
    home.mkdir()
    (home / sample.MARKER).write_text("{", encoding="utf-8")
    with pytest.raises(StoreError):
        prepare(home)


def test_a_home_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """By a file in its way."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises((Conflict, StoreError)) as caught:
        prepare(tmp_path / "file" / "home")
    assert caught.value.hint


def test_there_are_three_questions() -> None:
    """As many as fit on a screen."""
    assert len(read_questions()) == 3
