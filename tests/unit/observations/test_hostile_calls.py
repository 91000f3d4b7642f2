"""Calls of tools that are made to hurt whoever looks at them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.errors import Denied, InvalidInput
from recollect.observations.project_folder import inspect_folder
from recollect.observations.recalled import OwnCalls

LONG = 300_000  # quadratic work would last for an hour


@pytest.mark.parametrize(
    "piece", ["\n", "\n \n", ";", ";a", "a=", 'a="b" ', "sudo ", ";env ", "$(", "/", "recollect "]
)
def test_a_long_command_is_looked_through_in_one_pass(piece: str) -> None:
    """Nested repetitions took 60 s for 20,000 empty lines, and twice as long for each `a="b"`."""
    own = OwnCalls(["/home/ann/.recollect"])
    assert not own.includes("Bash", {"command": f"echo {piece * LONG} recollect."})


@pytest.mark.parametrize(
    "command",
    [
        "recollect search tea",
        'X="a;b" Y=c"d e" recollect search tea',
        "cd /srv; sudo env A=b /usr/bin/recollect get '#1'",
        "echo $(uv run recollect lines tea)",
        "\n\n  python3.12 -m recollect search tea\n",
    ],
)
def test_a_command_of_ours_is_known_behind_what_a_shell_allows(command: str) -> None:
    """Values in quotation marks, programs that run others, and folders."""
    assert OwnCalls([]).includes("Bash", {"command": f"{'true;' * LONG}\n{command}"})


@pytest.mark.parametrize("name", ["tool_name", "project"])
@pytest.mark.parametrize("value", [5, b"Bash", ["Bash"]])
def test_a_name_that_is_no_text_is_an_error_of_the_caller(
    tmp_path: Path, name: str, value: Any
) -> None:
    """Also for what is recorded by hand, and with rules for tools."""
    overrides = {"embedding.provider": "none", "capture.skip_tools": ["mcp__bank__*"]}
    with recollect.open(tmp_path, overrides=overrides, live=False) as memory:
        session = memory.sessions.create()
        for event in ("tool", "manual"):
            with pytest.raises(InvalidInput, match="must be a text"):
                memory.observations.record(session.id, event=event, **{name: value})
            with pytest.raises(InvalidInput) as refusal:
                memory.observations.record_many(
                    [{"session_id": session.id, "event": event, name: value}]
                )
            assert refusal.value.facts["item"] == 0


@pytest.mark.parametrize("odd", ["\0", "\ud800"])
def test_an_odd_character_does_not_hide_a_file_that_is_left_out(tmp_path: Path, odd: str) -> None:
    """A NUL or half a surrogate beside its name, or in a folder above it."""
    overrides = {"embedding.provider": "none", "capture.skip_paths": ["*.pem", "/srv/keys/*"]}
    with recollect.open(tmp_path, overrides=overrides, live=False) as memory:
        session = memory.sessions.create(project="/srv/shop")
        with pytest.raises(Denied):
            memory.observations.record(session.id, "Bash", input={"command": f"cat k.pem {odd}"})
        with pytest.raises(Denied):
            memory.observations.record(session.id, "Read", input={"file_path": f"/x{odd}/k.pem"})
        assert memory.observations.record(session.id, "Read", input={"file_path": odd}).number == 1


@pytest.mark.parametrize("odd", ["/srv/\0shop", "/srv/\ud800", "\0", "\udcff"])
def test_a_folder_that_no_file_system_has_is_captured_as_any_other(
    tmp_path: Path, odd: str
) -> None:
    """Rules for projects look at the disk, which raised errors of its own."""
    overrides = {"embedding.provider": "none", "privacy.exclude_projects": ["/secret*", "hidden"]}
    with recollect.open(tmp_path, overrides=overrides, live=False) as memory:
        assert memory.capture.verdict(odd).refusals == ()
        assert memory.capture.verdict(f"/secret{odd}").refusals


def test_a_configuration_of_git_full_of_spaces_is_read_in_one_pass(tmp_path: Path) -> None:
    """One line of 30,000 spaces took 6 s, one of 60,000 four times as long."""
    git = tmp_path / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main")
    (git / "config").write_text(f'[remote "origin"]\n\turl =  "ssh://h/x"  \na=x{" " * LONG}x')
    assert inspect_folder(str(tmp_path)).remote == "h/x"


def test_types_are_texts(tmp_path: Path) -> None:
    """One text was taken for a list of letters, and found nothing."""
    with recollect.open(tmp_path, overrides={"embedding.provider": "none"}, live=False) as memory:
        for wrong in (5, [5], [None]):
            with pytest.raises(InvalidInput, match="must be a list of texts"):
                memory.observations.list(types=wrong)  # type: ignore[arg-type]
        observation = memory.observations.record(
            memory.sessions.create().id, type="decision", summary="a"
        )
        assert memory.observations.list(types="decision") == [observation]
        assert memory.observations.list(types=["\udcff"]) == []
