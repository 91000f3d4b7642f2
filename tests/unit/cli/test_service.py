"""`recollect init` offers a service that starts the worker, and `uninstall` removes it."""

from __future__ import annotations

import io
import plistlib
import sys
from pathlib import Path

import pytest

from recollect.cli.setup.service import service_of
from tests.unit.cli.conftest import Run


class Terminal(io.StringIO):
    """Somebody who types an answer."""

    def isatty(self) -> bool:
        """Return that somebody is there."""
        return True


@pytest.fixture(autouse=True)
def units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where systemd looks for the units of this user."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(sys, "platform", "linux")
    return tmp_path / "config" / "systemd" / "user"


def test_a_service_is_written_only_where_it_is_agreed_to(
    run: Run, home: Path, units: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program is never asked; a person is, and silence means no."""
    assert run("--home", home, "init", "--json").json["service"] is None
    assert not units.exists()
    for said, written in (("\n", 0), ("n\n", 0), ("y\n", 1)):
        monkeypatch.setattr(sys, "stdin", Terminal(said))
        done = run("--home", home, "init")
        assert "Start the worker when you log in" in done.err
        assert len(list(units.glob("*.service"))) == written
    monkeypatch.setattr(sys, "stdin", Terminal(""))
    assert "Start the worker" not in run("--home", home, "init").err, "it is there"


def test_a_dry_run_shows_the_service_and_makes_nothing(run: Run, home: Path, units: Path) -> None:
    """The whole text, and the command that starts it."""
    shown = run("--home", home, "init", "--service", "--dry-run")
    assert "ExecStart=" in shown.out
    assert "systemctl --user enable --now" in shown.err
    document = run("--home", home, "init", "--dry-run", "--json").json
    assert document["text"].startswith("# Made by `recollect init`")
    assert not home.exists()
    assert not units.exists()


def test_uninstall_removes_the_service(run: Run, home: Path, units: Path) -> None:
    """The home stays; how to stop what runs is said."""
    done = run("--home", home, "init", "--service", "--json").json
    (unit,) = units.iterdir()
    assert done["service"]["path"] == str(unit)
    assert str(unit) in done["made"]
    assert f'"{home}" "serve"' in unit.read_text()
    gone = run("--home", home, "uninstall", "--yes", "--json").json
    assert str(unit) in gone["removed"]
    assert gone["service"] == f"systemctl --user disable --now {unit.stem}"
    assert not unit.exists()
    assert (home / "records.db").exists()


def test_each_home_has_a_service_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of the default home has the plain name."""
    monkeypatch.setenv("RECOLLECT_HOME", str(tmp_path / "mine"))
    assert Path(service_of(tmp_path / "mine").path).name == "recollect.service"
    others = {Path(service_of(tmp_path / name).path).name for name in ("a", "b")}
    assert len(others) == 2
    assert all(name.startswith("recollect-") for name in others)


def test_signs_that_systemd_reads_are_escaped(tmp_path: Path) -> None:
    """systemd.service(5): specifiers, variables, quotes."""
    text = service_of(tmp_path / '100% $HOME "x"\\').text
    assert '/100%% $$HOME \\"x\\"\\\\" "serve"' in text


def test_on_macos_it_is_an_agent_of_launchd(tmp_path: Path) -> None:
    """It starts with the session, and again after a failure, at most once a minute."""
    service = service_of(tmp_path, "darwin")
    described = plistlib.loads(service.text.encode())
    assert Path(service.path).parts[-3:-1] == ("Library", "LaunchAgents")
    assert described["ProgramArguments"][1:] == [
        *("-m", "recollect", "--home", str(tmp_path), "serve")
    ]
    assert described["KeepAlive"] == {"SuccessfulExit": False}
    assert described["ThrottleInterval"] == 60
    assert service.path in service.start
