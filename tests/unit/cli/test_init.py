"""`recollect init`: a home, a workspace, and what to do next."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import NOTE, Run


def test_init_makes_a_private_home(run: Run, home: Path) -> None:
    """With a config.yaml that explains itself."""
    done = run("--home", home, "init")
    assert done.code == 0
    assert home.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in home.iterdir() if path.is_file()} == {0o600}
    assert "# limit: 6" in (home / "config.yaml").read_text(encoding="utf-8")
    assert done.out.splitlines()[0] == f"made  {home}"


def test_init_says_what_to_do_next(run: Run, home: Path) -> None:
    """On stderr."""
    told = run("--home", home, "init").err
    for step in ("import claude-code", "init --workspace DIR", "models install", "search"):
        assert f"recollect {step}" in told


def test_init_finds_what_programs_like_it_have_left(run: Run, home: Path) -> None:
    """Each with the command that takes it over."""
    assert "claude-mem" not in run("--home", home, "init").err
    for name in (".claude-mem/claude-mem.db", ".openclaw-mem/settings.json"):
        (Path.home() / name).parent.mkdir()
        (Path.home() / name).write_text("{}", "utf-8")
    steps = run("--home", home, "init").err
    assert "recollect import claude-mem" in steps
    assert "recollect config import" in steps


def test_the_second_init_changes_nothing(run: Run, home: Path, workspace: Path) -> None:
    """Not one byte of what people write."""
    run("--home", home, "init", "--workspace", workspace)
    config = home / "config.yaml"
    config.write_text(config.read_text("utf-8") + "# mine\n", "utf-8")
    before = config.read_bytes()
    done = run("--home", home, "init", "--workspace", workspace)
    assert done.out == f"all there  {home}\n"
    assert config.read_bytes() == before
    assert (workspace / "memory" / "2025-07-14.md").read_text("utf-8") == NOTE
    assert not (workspace / "MEMORY.md").exists()


def test_a_missing_workspace_is_made(run: Run, home: Path, tmp_path: Path) -> None:
    """With a first MEMORY.md, and named in config.yaml."""
    done = run("--home", home, "init", "--workspace", tmp_path / "notes", "--json")
    assert (tmp_path / "notes" / "memory").is_dir()
    assert (tmp_path / "notes" / "MEMORY.md").read_text("utf-8").startswith("# Memory\n")
    assert done.json["workspace"] == str(tmp_path / "notes")
    assert str(tmp_path / "notes") in done.json["made"]
    assert run("--home", home, "config", "get", "workspace.path").out.strip() == str(
        tmp_path / "notes"
    )


def test_a_workspace_before_the_command_is_the_same(run: Run, home: Path, workspace: Path) -> None:
    """The global option."""
    done = run("--home", home, "--workspace", workspace, "init", "--json")
    assert done.json["workspace"] == str(workspace)


def test_a_later_init_can_name_another_workspace(run: Run, home: Path, workspace: Path) -> None:
    """The comments stay."""
    run("--home", home, "init")
    run("--home", home, "init", "--workspace", workspace)
    text = (home / "config.yaml").read_text("utf-8")
    assert f"  path: {workspace}\n" in text
    assert "# limit: 6" in text


@pytest.mark.parametrize("place", ["home", "workspace"])
def test_a_file_in_the_place_of_a_folder_is_refused(
    run: Run, home: Path, tmp_path: Path, place: str
) -> None:
    """And left alone."""
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    named = {"home": home, "workspace": tmp_path / "ws", place: tmp_path / "file"}
    done = run("--home", named["home"], "init", "--workspace", named["workspace"], "--json")
    assert (done.code, done.error["code"]) == (1, "invalid_input")
    assert (tmp_path / "file").read_text("utf-8") == "mine"


def test_a_config_that_cannot_be_understood_is_not_touched(run: Run, home: Path) -> None:
    """Its owner corrects it."""
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("search: [", encoding="utf-8")
    done = run("--home", home, "init", "--json")
    assert (done.code, done.error["code"]) == (1, "config")
    assert (home / "config.yaml").read_text("utf-8") == "search: ["
