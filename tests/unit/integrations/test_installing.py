"""An integration is put into the files of an agent and taken out: nothing else changes, ever."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.core.errors import Conflict, Denied, InvalidInput, StoreError
from recollect.integrations.installing import (
    RECORD_FILE,
    apply,
    installation_of,
    installed,
    removal,
)
from recollect.integrations.json_text import JsonEntry
from tests.support.agent_machine import SETTINGS, TOML, Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine without any settings."""
    return Machine(tmp_path)


def _took_back(machine: Machine) -> None:
    apply(machine.home, removal(machine.home, "agent"))


def test_nothing_is_written_while_it_is_computed(machine: Machine) -> None:
    """A dry run shows all of it first."""
    machine.fill()
    before = machine.files()
    changes = {Path(change.path): change for change in machine.wanted().changes}
    assert set(changes) == {machine.plugin, machine.settings, machine.toml}
    assert changes[machine.settings].before == SETTINGS.encode()
    assert machine.files() == before


@pytest.mark.parametrize("filled", [True, False], ids=["settings", "nothing"])
def test_what_is_installed_and_removed_leaves_every_byte_and_mode(
    machine: Machine, filled: bool
) -> None:
    """Files, folders, modes and the record: as if it had never been there."""
    if filled:
        machine.fill()
        machine.settings.chmod(0o640)
    before = machine.files()
    apply(machine.home, machine.wanted())
    assert machine.settings_now()["mcpServers"] == {"recollect": {"command": "1"}}
    assert machine.plugin.read_bytes() == b"hooks 1"
    assert "agent" in installed(machine.home)
    _took_back(machine)
    assert machine.files() == before


def test_an_empty_settings_file_is_empty_again(machine: Machine) -> None:
    """A file of no bytes, or of a line end, is what it was."""
    machine.fill()
    machine.settings.write_text("\n", encoding="utf-8")
    before = machine.files()
    apply(machine.home, machine.wanted())
    apply(machine.home, machine.wanted("2"))
    _took_back(machine)
    assert machine.files() == before


def test_a_second_time_writes_nothing(machine: Machine) -> None:
    """`init` again does no harm."""
    machine.fill()
    apply(machine.home, machine.wanted())
    before = machine.files()
    again = machine.wanted()
    assert all(change.before == change.after for change in again.changes)
    apply(machine.home, again)
    assert machine.files() == before


def test_an_update_takes_the_place_of_what_was_there(machine: Machine) -> None:
    """Python moved: the old command goes, and what another version wrote besides."""
    machine.fill()
    before = machine.files()
    apply(machine.home, machine.wanted())
    apply(machine.home, machine.wanted("2"))
    assert machine.settings_now()["hooks"]["Stop"] == [{"hooks": []}, {"run": "2"}]
    assert machine.toml.read_text(encoding="utf-8").count("command =") == 1
    apply(machine.home, installation_of(machine.home, "agent", own={machine.plugin: b"only"}))
    assert machine.settings.read_text(encoding="utf-8") == SETTINGS
    assert machine.toml.read_text(encoding="utf-8") == TOML
    _took_back(machine)
    assert machine.files() == before


def test_what_the_user_changed_meanwhile_stays(machine: Machine) -> None:
    """Settings live on: a key before ours, one behind, lines around the block."""
    machine.fill()
    apply(machine.home, machine.wanted())
    text = machine.settings.read_text(encoding="utf-8")
    text = text.replace('"opus"', '"fable",\n    "theme": "dark"').replace(
        "\n}\n", ',\n    "last": 1\n}\n'
    )
    machine.settings.write_text(text, encoding="utf-8")
    block = machine.toml.read_text(encoding="utf-8")
    machine.toml.write_text("# mine\n" + block + "[more]\n", encoding="utf-8")
    own = machine.plugin.with_name("notes.txt")
    own.write_text("the user's", encoding="utf-8")
    _took_back(machine)
    expected = SETTINGS.replace('"opus"', '"fable",\n    "theme": "dark"')
    assert machine.settings.read_text(encoding="utf-8") == expected.replace(
        "\n}\n", ',\n    "last": 1\n}\n'
    )
    assert machine.toml.read_text(encoding="utf-8") == f"# mine\n{TOML}\n\n[more]\n"
    assert own.exists()
    assert not machine.plugin.exists()


def test_a_file_that_we_made_stays_where_the_user_added_to_it(machine: Machine) -> None:
    """It is theirs now, without our lines."""
    apply(machine.home, machine.wanted())
    settings = machine.settings_now() | {"model": "opus"}
    machine.settings.write_text(json.dumps(settings), encoding="utf-8")
    _took_back(machine)
    assert machine.settings_now() == {"model": "opus"}
    assert not machine.toml.exists()


def test_files_that_are_gone_are_not_missed(machine: Machine) -> None:
    """The user removed the agent program."""
    apply(machine.home, machine.wanted())
    for path in (machine.settings, machine.toml, machine.plugin):
        path.unlink()
    _took_back(machine)
    assert machine.files().keys() == {"home"}


def test_nothing_is_recorded_where_all_was_there(machine: Machine) -> None:
    """The user had pasted it: it is theirs."""
    machine.agent.mkdir()
    machine.settings.write_text('{"a": {"b": 1}}', encoding="utf-8")
    before = machine.files()
    wanted = {machine.settings: [JsonEntry(path=("a", "b"), value=1)]}
    apply(machine.home, installation_of(machine.home, "agent", entries=wanted))
    assert machine.files() == before


def test_a_file_that_changed_since_it_was_shown_is_not_overwritten(machine: Machine) -> None:
    """The agent program saved its settings in between."""
    machine.fill()
    wanted = machine.wanted()
    machine.settings.write_text("{}", encoding="utf-8")
    with pytest.raises(Conflict, match="changed meanwhile"):
        apply(machine.home, wanted)
    assert not machine.plugin.exists()
    assert installed(machine.home) == {}


def test_settings_that_are_no_json_are_refused_with_what_to_paste(machine: Machine) -> None:
    """The hint has the lines; comments alone are no obstacle."""
    machine.fill()
    machine.settings.write_text("{\n// mine\nkey: 1}", encoding="utf-8")
    with pytest.raises(InvalidInput, match="must hold JSON") as refused:
        machine.wanted()
    pasted = refused.value.hint.partition(": ")[2]
    assert json.loads(pasted)["mcpServers"] == {"recollect": {"command": "1"}}


def test_a_removal_names_what_it_cannot_find(machine: Machine) -> None:
    """The user broke the file: it is not touched, and neither is anything else."""
    machine.fill()
    apply(machine.home, machine.wanted())
    machine.settings.write_text("{", encoding="utf-8")
    with pytest.raises(InvalidInput) as refused:
        removal(machine.home, "agent")
    assert "mcpServers.recollect" in refused.value.hint
    assert machine.plugin.exists()


def test_a_link_is_refused(machine: Machine) -> None:
    """Replacing it would cut the settings off from where the user keeps them."""
    machine.fill()
    real = machine.agent / "real.json"
    machine.settings.rename(real)
    machine.settings.symlink_to(real)
    with pytest.raises(Denied, match="a link") as refused:
        machine.wanted()
    assert "put this into what it leads to by hand: {" in (refused.value.hint or "")


def test_a_folder_in_its_place_is_refused(machine: Machine) -> None:
    """Only a file can be changed."""
    machine.settings.mkdir(parents=True)
    with pytest.raises(Denied, match="not a file"):
        machine.wanted()


def test_other_encodings_are_refused(machine: Machine) -> None:
    """What cannot be read would be damaged."""
    machine.fill()
    machine.settings.write_bytes(b'{"name": "\xe9"}')
    with pytest.raises(InvalidInput, match="UTF-8"):
        machine.wanted()


def test_a_byte_order_mark_stays(machine: Machine) -> None:
    """Some editors write one."""
    machine.fill()
    machine.settings.write_bytes(b"\xef\xbb\xbf{}")
    before = machine.files()
    apply(machine.home, machine.wanted())
    assert machine.settings.read_bytes().startswith(b"\xef\xbb\xbf{\n")
    _took_back(machine)
    assert machine.files() == before


def test_a_file_too_large_for_settings_is_refused(machine: Machine) -> None:
    """Something else has the name."""
    machine.fill()
    with machine.settings.open("wb") as file:
        file.truncate(9 * 1024 * 1024)
    with pytest.raises(InvalidInput, match="too large"):
        machine.wanted()


def test_a_record_that_cannot_be_read_is_an_error(machine: Machine) -> None:
    """Never an empty success: what was written would stay forever."""
    (machine.home / RECORD_FILE).write_text("[]", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be read"):
        removal(machine.home, "agent")


_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.support.agent_machine import Machine
from recollect.integrations.installing import apply, removal
machine = Machine(Path(sys.argv[1]))
wanted = machine.wanted(sys.argv[2]) if sys.argv[2] else removal(machine.home, "agent")
left = int(sys.argv[3])
def count(event, arguments):
    global left
    if event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir"):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(count)
apply(machine.home, wanted)
"""


def _killed(machine: Machine, version: str, steps: int) -> bool:
    """Apply in another process that dies before a step; return whether it did."""
    command = [sys.executable, "-c", _KILLED, str(machine.home.parent), version, str(steps)]
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(command, cwd=root, check=False)
    assert done.returncode in (0, -signal.SIGKILL)
    return done.returncode != 0


def _works(machine: Machine) -> None:
    """Check that the settings can be read and name nothing that is missing."""
    if machine.settings.exists():
        settings = machine.settings_now()
        if "mcpServers" in settings:
            assert machine.plugin.exists()


@pytest.mark.slow
@pytest.mark.parametrize("filled", [True, False], ids=["settings", "nothing"])
@pytest.mark.parametrize("version", ["1", "2", ""], ids=["install", "update", "remove"])
def test_killed_between_any_two_writes_all_can_be_taken_back(
    tmp_path: Path, version: str, filled: bool
) -> None:
    """The settings are whole at every point, and a removal finds what there is."""
    steps, dies = 0, True
    while dies:
        folder = tmp_path / str(steps)
        folder.mkdir()
        machine = Machine(folder)
        if filled:
            machine.fill()
        before = machine.files()
        if version != "1":
            apply(machine.home, machine.wanted())
        dies = _killed(machine, version, steps)
        _works(machine)
        _took_back(machine)
        assert machine.files() == before
        steps += 1
    assert steps > 3


def test_a_file_of_another_user_is_refused(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner would lose it."""
    machine.fill()
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    with pytest.raises(Denied, match="another user"):
        machine.wanted()
