"""`recollect init`: which agents are here, and the entry of any MCP client."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home directory of a user of Codex, Gemini CLI and Kiro, with no program on the PATH."""
    monkeypatch.setenv("PATH", str(Path.home() / "bin"))
    for name in (".codex", ".gemini", ".kiro/settings"):
        (Path.home() / name).mkdir(parents=True)
    return Path.home()


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        """A terminal."""
        return True


def test_without_a_terminal_the_agents_that_are_here_are_next_steps(
    run: Run, home: Path, user: Path
) -> None:
    """Issue 13.7: found and offered; nothing is written for them unasked."""
    started = run("--home", home, "init", "--json").json
    assert [(each["name"], each["command"]) for each in started["agents"]] == [
        ("codex", "recollect init codex"),
        ("gemini", "recollect init gemini"),
        ("kiro", "recollect init mcp --client kiro"),
    ]
    shown = run("--home", home, "init")
    assert "recollect init codex" in shown.out + shown.err
    assert not [*(user / ".codex").iterdir(), *(user / ".gemini").iterdir()]


def test_a_person_is_asked_for_each_agent(
    run: Run, home: Path, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codex yes, Gemini CLI no; an MCP client that reports nothing is only named."""
    monkeypatch.setattr("sys.stdin", Terminal("n\ny\nn\n\n"))  # the first is the service
    done = run("--home", home, "init")
    assert done.code == 0
    assert "Put the memory into Codex?" in done.err
    assert (user / ".codex" / "hooks.json").is_file()
    assert (home / "hooks" / "codex.token").is_file()
    assert not [*(user / ".gemini").iterdir(), *(user / ".kiro" / "settings").iterdir()]
    left = run("--home", home, "init", "--json").json["agents"]
    assert [each["name"] for each in left] == ["gemini", "kiro"]


def test_an_agent_that_cannot_be_connected_does_not_keep_the_others_from_it(
    run: Run, home: Path, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says what to do, and the next is asked for."""
    (user / ".codex" / "hooks.json").write_text("// mine\n{a: 1}\n", encoding="utf-8")
    monkeypatch.setattr("sys.stdin", Terminal("n\ny\ny\n\n"))
    done = run("--home", home, "init")
    assert done.code == 0
    assert "must hold JSON" in done.out + done.err
    assert (user / ".codex" / "hooks.json").read_text() == "// mine\n{a: 1}\n"
    assert (user / ".gemini" / "extensions" / "recollect").is_dir()


def test_the_worker_starts_by_itself_unless_the_user_chose(
    run: Run, home: Path, user: Path
) -> None:
    """Issue 23, item 5: simply on; `--no-start` and the user's own setting win."""

    def starts() -> object:
        return run("--home", home, "config", "get", "worker.autostart", "--json").json["value"]

    run("--home", home, "init")
    first = (home / "config.yaml").read_bytes()
    run("--home", home, "init", "claude-code")
    assert starts() is True
    run("--home", home, "init", "codex")
    run("--home", home, "init", "claude-code", "--remove")
    assert starts() is True, "codex needs it"
    run("--home", home, "init", "codex", "--remove")
    assert (home / "config.yaml").read_bytes() == first
    for again in ((), ("--no-start",), ()):
        run("--home", home, "init", "claude-code", *again)
    assert starts() is False
    run("--home", home, "init", "claude-code", "--remove")
    assert (home / "config.yaml").read_bytes() == first
    run("--home", home, "config", "set", "worker.autostart", "false")
    run("--home", home, "init", "claude-code")
    run("--home", home, "init", "claude-code", "--remove")
    assert starts() is False


def test_codex_is_connected_and_disconnected(run: Run, home: Path, user: Path) -> None:
    """A dry run shows both files; after the removal the folder is as it was."""
    (user / ".codex" / "config.toml").write_text('model = "x"\n', encoding="utf-8")
    dry = run("--home", home, "init", "codex", "--dry-run", "--json").json
    assert [Path(each["path"]).name for each in dry["files"]] == [
        *["hooks.json", "config.toml", "config.yaml", "codex.token"],
        *["integrations.json", "records.db"],
    ]
    assert not home.exists()
    done = run("--home", home, "init", "codex", "--json").json
    assert "/hooks" in done["notes"][0]
    assert run("--home", home, "init", "codex", "--remove").code == 0
    assert [each.name for each in (user / ".codex").iterdir()] == ["config.toml"]
    assert (user / ".codex" / "config.toml").read_text() == 'model = "x"\n'
    assert not (home / "hooks").exists()


def test_the_entry_of_an_mcp_client_is_written_printed_and_removed(
    run: Run, home: Path, user: Path
) -> None:
    """Printed, it needs no home and writes nothing."""
    printed = run("--home", home, "init", "mcp", "--client", "cursor", "--print", "--json").json
    assert printed["path"] == str(user / ".cursor" / "mcp.json")
    assert not home.exists()
    assert not (user / ".cursor" / "mcp.json").exists()
    asked = ("--home", home, "init", "mcp", "--client", "Cursor")
    assert run(*asked, "--as", "owner").code == 0
    servers = json.loads((user / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert servers["recollect"]["args"][-2:] == ["--as", "owner"]
    assert json.loads(printed["text"])["mcpServers"]["recollect"]["args"][-1] == "shared"
    shown = run(*asked, "--remove")
    assert "removed" in shown.out
    assert not (user / ".cursor" / "mcp.json").exists()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["mcp"], "--client NAME"),
        (["mcp", "--client", "curser"], "cursor"),
        (["mcp", "--client", "claude-code"], "recollect init claude-code"),
        (["codex", "--client", "cursor"], "--client NAME"),
        (["gemnii"], "gemini"),
        (["codex", "--print"], "--dry-run"),
        (["--print"], "codex"),
        (["mcp", "--client", "cursor", "--as", "me"], "owner"),
        (["codex", "--http"], "recollect init claude-code"),
        (["gemini", "--mcp"], "recollect init openclaw"),
        (["claude-code", "--as", "shared"], "recollect init mcp"),
        (["codex", "--service"], "recollect init --service"),
        (["codex", "--fresh", "--dry-run"], "recollect init --fresh"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_can(
    run: Run, home: Path, user: Path, arguments: list[str], hint: str
) -> None:
    """A clear error with a hint, and nothing in the folders of the agents."""
    done = run("--home", home, "--json", "init", *arguments)
    assert done.code in {1, 2}
    assert hint in done.error["hint"]
    assert not [*(user / ".codex").iterdir(), *(user / ".kiro" / "settings").iterdir()]


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini"])
def test_checkpoints_are_switched_on_and_taken_back(
    run: Run, home: Path, user: Path, tmp_path: Path, agent: str
) -> None:
    """Two roots one after another; the removal leaves what was there, and hooks are told."""
    rules = home / "checkpoints" / "capture.json"
    (user / ".claude").mkdir(exist_ok=True)
    run("--home", home, "init")
    first = (home / "config.yaml").read_bytes()
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        root.mkdir()
        assert run("--home", home, "init", agent, "--checkpoints", "--root", root).code == 0
    kept = run("--home", home, "config", "get", "checkpoints.roots", "--json").json["value"]
    assert kept == json.loads(rules.read_bytes())["roots"] == list(map(str, roots))
    assert run("--home", home, "config", "get", "checkpoints.enabled", "--json").json["value"]
    run("--home", home, "init", agent, "--remove")
    assert (home / "config.yaml").read_bytes() == first
    assert not rules.exists()


def test_a_root_of_the_user_stays(run: Run, home: Path, user: Path, tmp_path: Path) -> None:
    """The removal takes back what `init` added, and checkpoints stay on for the rest."""
    run("--home", home, "init")
    run("--home", home, "config", "set", "checkpoints.roots", str(user))
    run("--home", home, "init", "codex", "--checkpoints", "--root", tmp_path)
    run("--home", home, "init", "codex", "--remove")
    kept = run("--home", home, "config", "get", "checkpoints.roots", "--json").json["value"]
    assert kept == [str(user)]
    assert run("--home", home, "config", "get", "checkpoints.enabled", "--json").json["value"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cursor", "--checkpoints"), "must go with claude-code, codex, gemini"),
        (("codex", "--root", "."), "must go with --checkpoints"),
        (("codex", "--checkpoints", "--root", "missing"), "must be a folder"),
        (("--checkpoints",), "are for an agent"),
    ],
)
def test_checkpoints_that_cannot_be_taken_are_refused(
    run: Run, home: Path, user: Path, words: tuple[str, ...], message: str
) -> None:
    """It must not look as if they were."""
    run("--home", home, "init")
    done = run("--home", home, "init", *words)
    assert done.code != 0
    assert message in done.out + done.err
