"""`recollect init cursor`, `copilot`, `opencode`, `windsurf`: in, checked by doctor, and out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run

FOLDERS = {
    "cursor": ".cursor",
    "copilot": ".copilot",
    "opencode": ".config/opencode",
    "windsurf": ".codeium/windsurf",
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_client_is_put_in_and_taken_out(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Its folder is as it was; a file that somebody edited is named by doctor."""
    monkeypatch.setenv("PATH", str(Path.home() / "bin"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    folder = Path.home() / FOLDERS[name]
    folder.mkdir(parents=True)
    connected = run("--home", home, "init", name, "--json").json
    assert connected["client"] == name
    assert (home / "hooks" / f"{name}.token").is_file()
    assert any(folder.rglob("*"))
    assert f"recollect init {name}" not in str(run("--home", home, "doctor", "--json").json)
    next(each for each in sorted(folder.rglob("*")) if each.is_file()).unlink()
    assert f"recollect init {name}" in str(run("--home", home, "doctor", "--json").json)
    run("--home", home, "init", name)
    left = run("--home", home, "uninstall", "--yes", "--json").json
    assert [each["client"] for each in left["integrations"]] == [name]
    assert list(folder.rglob("*")) == []
    assert not (home / "hooks" / f"{name}.token").exists()
