"""Where the home and the models are."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.core.errors import ConfigError
from recollect.core.settings import default_home, models_folder, transcript_folders


def test_the_home_is_a_hidden_folder_of_the_user(tmp_path: Path) -> None:
    """Unless told otherwise."""
    assert default_home({"HOME": str(tmp_path)}) == tmp_path / ".recollect"
    assert default_home({"USERPROFILE": str(tmp_path)}) == tmp_path / ".recollect"


def test_a_variable_moves_the_home(tmp_path: Path) -> None:
    """``~`` is the user's folder; a relative path is made absolute."""
    assert default_home({"RECOLLECT_HOME": str(tmp_path / "x")}) == tmp_path / "x"
    assert (
        default_home({"RECOLLECT_HOME": "~/memory", "HOME": str(tmp_path)}) == tmp_path / "memory"
    )
    assert default_home({"RECOLLECT_HOME": "~", "HOME": str(tmp_path)}) == tmp_path
    assert default_home({"RECOLLECT_HOME": "here"}) == Path.cwd() / "here"


def test_the_models_are_in_the_cache_or_where_a_variable_says(tmp_path: Path) -> None:
    """All homes of a user share them."""
    assert models_folder({"RECOLLECT_MODELS": "~/m", "HOME": str(tmp_path)}) == tmp_path / "m"
    shared = models_folder({})
    assert shared.is_absolute()
    assert shared.name == "models"
    assert "recollect" in shared.parts


def test_the_process_environment_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Callers outside of tests pass nothing."""
    monkeypatch.setenv("RECOLLECT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RECOLLECT_MODELS", str(tmp_path / "models"))
    assert default_home() == tmp_path / "home"
    assert models_folder() == tmp_path / "models"


def test_without_variables_the_system_knows_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a service that starts with an empty environment."""
    monkeypatch.setattr(Path, "home", lambda: Path("/nobody"))
    assert default_home({}) == Path("/nobody/.recollect").absolute()


def test_a_user_without_a_home_directory_is_told_what_to_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not a stack trace of pathlib."""

    def nowhere() -> Path:
        raise RuntimeError("could not determine home directory")

    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(ConfigError, match="no home directory") as caught:
        default_home({})
    assert "RECOLLECT_HOME" in caught.value.hint


def test_the_variables_of_other_programs_say_where_their_transcripts_are(tmp_path: Path) -> None:
    """As the programs read them: the state folder counts more than home and profile."""
    here = {"HOME": str(tmp_path)}
    assert transcript_folders(here) == {
        "claude-code": tmp_path / ".claude" / "projects",
        "openclaw": tmp_path / ".openclaw" / "agents",
    }
    environ = here | {
        "CLAUDE_CONFIG_DIR": "~/c",
        "OPENCLAW_HOME": "/srv",
        "OPENCLAW_PROFILE": "work",
    }
    assert transcript_folders(environ) == {
        "claude-code": tmp_path / "c" / "projects",
        "openclaw": Path("/srv/.openclaw-work/agents"),
    }
    default = here | {"OPENCLAW_PROFILE": "default"}
    assert transcript_folders(default)["openclaw"] == tmp_path / ".openclaw" / "agents"
    state = environ | {"OPENCLAW_STATE_DIR": "/var/claw"}
    assert transcript_folders(state)["openclaw"] == Path("/var/claw/agents")
