"""`recollect init claude-code` and its way back: every file is shown, and none is left."""

from __future__ import annotations

import fcntl
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.errors import Unauthorized
from recollect.integrations.installing import RECORD_FILE, installed
from recollect.integrations.json_text import JsonEntry, with_entries
from tests.unit.cli.conftest import Run

SETTINGS = '{\n  "model": "opus",\n  "hooks": {"Stop": []}\n}\n'


@pytest.fixture
def claude() -> Path:
    """The folder of Claude Code, with settings of the user and a skill of theirs."""
    folder = Path.home() / ".claude"
    (folder / "skills" / "mine").mkdir(parents=True)
    (folder / "skills" / "mine" / "SKILL.md").write_text("mine", "utf-8")
    (folder / "settings.json").write_text(SETTINGS, "utf-8")
    return folder


def _files(root: Path) -> dict[str, tuple[int, bytes]]:
    """Return mode and content of all files, and the folders."""
    return {
        str(path.relative_to(root)): (
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in root.rglob("*")
    }


def _hooks(claude: Path) -> dict[str, Any]:
    path = claude / "skills" / "recollect" / "hooks" / "hooks.json"
    hooks: dict[str, Any] = json.loads(path.read_text("utf-8"))["hooks"]
    return hooks


def _token(home: Path) -> str:
    return (home / "hooks" / "claude-code.token").read_text("ascii").strip()


def _followed(run: Run, home: Path) -> Any:
    return run("--home", home, "config", "get", "workspace.transcripts", "--json").json["value"]


def test_a_dry_run_shows_every_file_and_writes_none(run: Run, home: Path, claude: Path) -> None:
    """Not even the home; a token is not shown."""
    before = _files(Path.home())
    found = run("--home", home, "init", "claude-code", "--dry-run", "--json").json
    assert not home.exists()
    assert _files(Path.home()) == before
    lines = {Path(line["path"]): line for line in found["files"]}
    run("--home", home, "init", "claude-code")
    made = {path for path in claude.rglob("*") if path.is_file()}
    made -= {claude / "settings.json", claude / "skills" / "mine" / "SKILL.md"}
    config, token = home / "config.yaml", home / "hooks" / "claude-code.token"
    own = {home / name for name in (RECORD_FILE, "records.db")}
    assert set(lines) == {*made, config, token, *own}
    assert {line["does"] for line in lines.values()} == {"made"}, "there is no home yet"
    assert "+  transcripts: [claude-code]" in lines[config]["diff"]
    assert lines[token]["diff"] == []
    shown = run("--home", home, "init", "claude-code", "--remove", "--dry-run")
    assert str(token) in shown.out
    assert _token(home) not in shown.out
    assert token.exists()


def test_the_record_of_what_was_written_is_listed_too(run: Run, home: Path, claude: Path) -> None:
    """It is made for the first agent, changed for others, and goes with the last one."""

    def becomes(*arguments: str) -> str:
        found = run("--home", home, *arguments, "--json").json
        parts = found.get("integrations", [found])
        (does,) = [
            line["does"] for line in parts[-1]["files"] if line["path"] == str(home / RECORD_FILE)
        ]
        return str(does)

    run("--home", home, "init")
    for dry in (["--dry-run"], []):
        assert becomes("init", "claude-code", *dry) == "made"
    assert becomes("init", "claude-code") == "stays"
    assert becomes("init", "codex") == "changed"
    assert becomes("init", "codex", "--remove", "--dry-run") == "changed"
    assert becomes("uninstall", "--dry-run") == "removed"
    assert becomes("init", "codex", "--remove") == "changed"
    assert becomes("init", "claude-code", "--remove") == "removed"
    assert not (home / RECORD_FILE).exists()


def test_the_settings_of_claude_code_are_not_touched(run: Run, home: Path, claude: Path) -> None:
    """The plugin is a folder of ours below its skills."""
    before = _files(claude)
    assert run("--home", home, "init", "claude-code").code == 0
    after = _files(claude)
    assert {path: kept for path, kept in after.items() if path in before} == before
    assert all(path.startswith("skills/recollect") for path in after.keys() - before.keys())


def test_hooks_are_commands_with_absolute_paths(run: Run, home: Path, claude: Path) -> None:
    """Exec form: no shell reads them, whatever is in a path."""
    run("--home", home, "config", "set", "hooks.deadline_ms", "450")
    run("--home", home, "init", "claude-code")
    for event, (group,) in _hooks(claude).items():
        (hook,) = group["hooks"]
        assert hook["type"] == "command"
        assert hook["command"] == sys.executable
        client = Path(recollect.__file__).parent / "hook" / "client.py"
        assert client.is_file()
        assert hook["args"] == [
            *("-I", "-S", str(client), "claude-code", event),
            *("--home", str(home), "--deadline-ms", "450"),
            *(["--start-ms", "1500"] if event == "SessionStart" else []),
        ]
        assert hook["timeout"] == (4 if event == "SessionStart" else 3)
        waits = event in {"SessionStart", "UserPromptSubmit", "PreToolUse"}
        assert hook.get("async", False) is not waits
        assert (group.get("matcher") is None) is (event != "PreToolUse")


def test_an_installation_from_before_is_brought_up_by_the_doctor(
    run: Run, home: Path, claude: Path
) -> None:
    """Issue 23, item 5: it says whether memory is on, and `--fix` turns it on."""

    def looked(*more: str) -> dict[str, tuple[str, str]]:
        checks = run("--home", home, "doctor", "--json", *more).json["checks"]
        return {each["name"]: (each["state"], each["detail"]) for each in checks}

    run("--home", home, "init", "claude-code")
    assert looked()["claude-code"] == ("ok", "on: the worker starts with the first event")
    run("--home", home, "config", "unset", "worker.autostart")
    record = home / "integrations.json"
    record.write_text(record.read_text().replace('"autostart": true,', ""))
    assert looked()["agents"][0] == "wrong"
    assert looked()["claude-code"] == ("note", "off: no worker runs, and none starts by itself")
    assert looked("--fix")["claude-code"][1] == "on: the worker starts with the first event"
    (home / "start.lock").write_bytes(b"1")
    state, detail = looked()["claude-code"]
    assert (state, detail[:35]) == ("wrong", "off: the worker could not start at ")
    (home / "start.lock").unlink()
    run("--home", home, "pause")
    assert looked()["claude-code"] == ("note", "off: the memory is paused")


def test_the_token_opens_capture_and_is_revoked(run: Run, home: Path, claude: Path) -> None:
    """It lies in a file of the user; a second init keeps it, a removal revokes it."""
    run("--home", home, "init", "claude-code")
    path = home / "hooks" / "claude-code.token"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    text = _token(home)
    run("--home", home, "init", "claude-code")
    assert _token(home) == text
    with recollect.open(home, live=False) as memory:
        token = memory.tokens.verify(text)
        assert (token.name, token.audience) == ("claude-code-hooks", "owner")
        assert not token.allows("write")
    run("--home", home, "init", "claude-code", "--remove")
    assert not path.parent.exists()
    with recollect.open(home, live=False) as memory, pytest.raises(Unauthorized):
        memory.tokens.verify(text)


def test_a_token_that_somebody_revoked_is_made_again(run: Run, home: Path, claude: Path) -> None:
    """Also where its file is gone."""
    run("--home", home, "init", "claude-code")
    first = _token(home)
    run("--home", home, "token", "revoke", "claude-code-hooks")
    run("--home", home, "init", "claude-code")
    second = _token(home)
    (home / "hooks" / "claude-code.token").unlink()
    run("--home", home, "init", "claude-code")
    assert len({first, second, _token(home)}) == 3
    valid = run("--home", home, "token", "list", "--json").json["tokens"]
    assert [each["name"] for each in valid].count("claude-code-hooks") == 1


def test_transcripts_are_followed_and_what_was_followed_before_stays(
    run: Run, home: Path, claude: Path, tmp_path: Path
) -> None:
    """A removal takes out what init put in, and only that."""
    other = str(tmp_path / "transcripts")
    run("--home", home, "init")
    first = (home / "config.yaml").read_bytes()
    run("--home", home, "init", "claude-code")
    assert _followed(run, home) == ["claude-code"]
    run("--home", home, "init", "claude-code", "--remove")
    assert (home / "config.yaml").read_bytes() == first

    run("--home", home, "config", "set", "workspace.transcripts", other)
    run("--home", home, "init", "claude-code")
    assert _followed(run, home) == [other, "claude-code"]
    run("--home", home, "init", "claude-code", "--remove")
    assert _followed(run, home) == [other]

    run("--home", home, "config", "set", "workspace.transcripts", "claude-code")
    run("--home", home, "init", "claude-code")
    run("--home", home, "init", "claude-code", "--remove")
    assert _followed(run, home) == ["claude-code"], "the user's own"


def test_a_second_home_does_not_take_the_place_of_the_first(
    run: Run, home: Path, claude: Path, tmp_path: Path
) -> None:
    """Claude Code reports to one memory; the error says how to change that."""
    run("--home", home, "init", "claude-code")
    before = _files(claude)
    done = run("--home", tmp_path / "other", "init", "claude-code", "--json")
    assert done.error["code"] == "conflict"
    assert "recollect" in done.error["hint"]
    assert _files(claude) == before
    assert run("--home", tmp_path / "other", "init", "claude-code", "--remove").code == 0
    assert _files(claude) == before


def test_removing_what_is_not_there_is_no_error(run: Run, home: Path, claude: Path) -> None:
    """Twice is as once."""
    assert run("--home", home, "init", "claude-code", "--remove").out == "nothing to remove\n"
    run("--home", home, "init", "claude-code")
    assert run("--home", home, "init", "claude-code", "--remove").code == 0
    assert run("--home", home, "init", "claude-code", "--remove").out == "nothing to remove\n"
    assert not (home / RECORD_FILE).exists()


@pytest.mark.parametrize("option", ["--remove", "--http"])
def test_options_of_an_agent_need_its_name(run: Run, home: Path, option: str) -> None:
    """Nothing is guessed, and nothing is made."""
    done = run("--home", home, "init", option, "--json")
    assert done.error["hint"].startswith("name one: claude-code")
    assert not home.exists()


def test_an_agent_that_is_not_known_is_named(run: Run, home: Path) -> None:
    """With those that are; no home is made."""
    done = run("--home", home, "init", "claudecode", "--json")
    assert done.error["code"] == "not_found"
    assert "claude-code" in done.error["hint"]
    assert not home.exists()


def test_http_hooks_name_a_variable_and_never_hold_the_token(
    run: Run, home: Path, claude: Path
) -> None:
    """They need a port that is the same tomorrow; a session begins with a command."""
    done = run("--home", home, "init", "claude-code", "--http", "--json")
    assert "fixed port" in done.error["message"]
    run("--home", home, "config", "set", "server.port", "40123")
    shown = run("--home", home, "init", "claude-code", "--http")
    assert "CLAUDE_RECOLLECT_TOKEN" in shown.out
    hooks = {event: group["hooks"][0] for event, (group,) in _hooks(claude).items()}
    assert hooks.pop("SessionStart")["type"] == "command"
    for event, hook in hooks.items():
        assert hook["url"] == f"http://127.0.0.1:40123/api/hooks/claude-code?event={event}"
        assert hook["headers"] == {"Authorization": "Bearer $CLAUDE_RECOLLECT_TOKEN"}
        assert hook["allowedEnvVars"] == ["CLAUDE_RECOLLECT_TOKEN"]
    texts = [path.read_text("utf-8") for path in claude.rglob("*") if path.is_file()]
    assert not any(_token(home) in text for text in texts)
    run("--home", home, "init", "claude-code")
    assert {each[0]["hooks"][0]["type"] for each in _hooks(claude).values()} == {"command"}


def test_what_a_killed_removal_left_is_removed_by_the_next(
    run: Run, home: Path, claude: Path
) -> None:
    """The record goes last, and a token file that is gone already is no error."""
    before = _files(claude)
    run("--home", home, "init", "claude-code")
    run("--home", home, "token", "revoke", "claude-code-hooks")
    (home / "hooks" / "claude-code.token").unlink()
    (claude / "skills" / "recollect" / ".mcp.json").unlink()
    assert run("--home", home, "init", "claude-code", "--remove").code == 0
    assert _files(claude) == before
    assert installed(home) == {}


def test_a_home_that_lost_its_records_lets_its_agents_go(
    run: Run, home: Path, claude: Path
) -> None:
    """The token cannot be revoked then, and that is said."""
    before = _files(claude)
    run("--home", home, "init", "claude-code")
    for path in home.glob("records.db*"):
        path.unlink()
    done = run("--home", home, "init", "claude-code", "--remove")
    assert (done.code, _files(claude)) == (0, before)
    assert "The token claude-code-hooks is still valid" in done.out


def test_a_running_worker_is_to_be_started_again(run: Run, home: Path, claude: Path) -> None:
    """It read config.yaml when it began."""
    run("--home", home, "init")
    assert "worker again" not in run("--home", home, "init", "claude-code", "--dry-run").out
    with (home / "serve.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shown = run("--home", home, "init", "claude-code")
    assert "Start the worker again" in shown.out
    assert "serve --daemon" not in shown.err


def test_doctor_finds_an_agent_whose_files_are_not_what_they_must_be(
    run: Run, home: Path, claude: Path
) -> None:
    """Python moved, somebody edited a file, or the token was revoked: the hint mends it."""

    def checked() -> dict[str, str]:
        found = run("--home", home, "doctor", "--json").json["checks"]
        check: dict[str, str] = next(each for each in found if each["name"] == "agents")
        return check

    run("--home", home, "init")
    assert (checked()["state"], checked()["detail"]) == ("ok", "none")
    run("--home", home, "config", "set", "server.port", "40123")
    run("--home", home, "init", "claude-code", "--http")
    assert (checked()["state"], checked()["detail"]) == ("ok", "claude-code")
    path = claude / "skills" / "recollect" / "hooks" / "hooks.json"
    path.write_text("{}", "utf-8")
    assert (checked()["state"], checked()["hint"]) == ("wrong", "`recollect init claude-code`")
    run("--home", home, "init", "claude-code")
    assert checked()["state"] == "ok"
    run("--home", home, "token", "revoke", "claude-code-hooks")
    assert checked()["state"] == "wrong"


def test_uninstall_takes_it_out_of_agents_first(run: Run, home: Path, claude: Path) -> None:
    """Every file is listed; without --with-memory the memory stays."""
    before = _files(claude)
    run("--home", home, "init", "claude-code")
    shown = run("--home", home, "uninstall", "--dry-run", "--json").json
    (connected,) = shown["integrations"]
    assert {line["does"] for line in connected["files"]} == {"removed", "changed"}
    asked = run("--home", home, "uninstall", "--json")
    assert "taken out of claude-code" in asked.error["message"]
    done = run("--home", home, "uninstall", "--yes")
    assert "skills/recollect/hooks/hooks.json" in done.out
    assert _files(claude) == before
    assert (home / "records.db").exists()


def test_a_home_in_use_keeps_its_agents(run: Run, home: Path, claude: Path) -> None:
    """An uninstall that cannot be finished is not begun."""
    run("--home", home, "init", "claude-code")
    before = _files(claude)
    with recollect.open(home, live=False):
        done = run("--home", home, "uninstall", "--yes", "--json")
    assert done.error["code"] == "store_busy"
    assert _files(claude) == before


@pytest.mark.parametrize("user", ["settings", "nothing"])
def test_after_an_uninstall_the_users_home_is_as_it_was(
    run: Run, monkeypatch: pytest.MonkeyPatch, user: str
) -> None:
    """Every file and folder below HOME: the memory, the plugin, the service, the demo."""
    root = Path.home()
    monkeypatch.delenv("RECOLLECT_MODELS")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    for folder in (".config", ".cache", ".openclaw"):
        (root / folder).mkdir()
    (root / ".openclaw" / "openclaw.json").write_text('{"gateway": {}}', "utf-8")
    if user == "settings":
        (root / ".claude").mkdir()
        text = with_entries(SETTINGS, [JsonEntry(path=("theme",), value="dark")])[0]
        (root / ".claude" / "settings.json").write_text(text, "utf-8")
    before = _files(root)
    assert run("init", "--service").code == 0
    assert run("demo").code == 0
    for agent in ("claude-code", "openclaw"):
        assert run("init", agent).code == 0
    done = run("uninstall", "--with-memory", "--yes", "--json")
    assert str(root / ".recollect") not in done.json["stays"], "all in it is ours"
    assert _files(root) == before


def test_without_the_packages_of_the_worker_no_memory_is_promised(
    run: Run, home: Path, claude: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Installed with `recollect[local]` alone, hooks reach no worker: both say what to install."""

    def find_spec(name: str) -> object:
        return None if name == "uvicorn" else importlib.util.find_spec(name)

    monkeypatch.setattr("recollect.integrations.commands.find_spec", find_spec)
    assert "pip install 'recollect[server]'" in run("--home", home, "init", "claude-code").out
    checks = run("--home", home, "doctor", "--json").json["checks"]
    (check,) = (each for each in checks if each["name"] == "claude-code")
    assert check["state"] == "wrong"
    assert "recollect[server]" in check["hint"]
