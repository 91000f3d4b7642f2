"""The first day: which languages are spoken, where things were put, what is in doubt."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import recollect
from recollect.cli.search import DOUBTED
from recollect.models.languages import MULTILINGUAL
from recollect.models.local import sentence_encoder
from recollect.recall.steps.session_titles import title_of
from tests.unit.cli.conftest import Run

DAY_MS = 86_400_000


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        """A terminal."""
        return True


def test_without_a_terminal_the_locale_counts_and_nobody_is_asked(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script must not hang."""
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.delenv("LANGUAGE", raising=False)
    assert run("--home", home, "init", "--json").json["languages"] == ["de"]
    given = run("--home", home, "init", "--languages", "EN, zh", "--json").json
    assert given["languages"] == ["en", "zh"]


def test_a_person_is_asked_and_the_locale_is_the_usual_answer(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enter takes it."""
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setattr("sys.stdin", Terminal("n\n\n"))  # the first is the service
    done = run("--home", home, "init")
    assert "Which languages" in done.err
    assert "[de]" in done.err


@pytest.mark.parametrize("is_installed", [True, False])
def test_the_model_for_other_languages_is_offered_with_its_cost(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, is_installed: bool
) -> None:
    """Instead of the one that reads English; nothing is set unasked."""
    version = "1" if is_installed else None
    monkeypatch.setattr(sentence_encoder, "package_version", lambda: version)
    done = run("--home", home, "init", "--languages", "en,de,zh")
    said = done.out + done.err
    assert "in de, zh too" in said
    assert ("31 MB" in said) is not is_installed
    assert "recollect models install" not in said
    config = (home / "config.yaml").read_text("utf-8").splitlines()
    assert not any(MULTILINGUAL in line for line in config if "#" not in line)


@pytest.mark.parametrize("wrong", ["german", "d3", ","])
def test_a_language_that_is_no_code_is_refused_before_anything_is_made(
    run: Run, home: Path, wrong: str
) -> None:
    """It is wrong usage."""
    done = run("--home", home, "init", "--languages", wrong, "--json")
    assert (done.code, done.error["hint"]) == (2, "give such as en,de,zh")
    assert not home.exists()
    both = run("--home", home, "init", "codex", "--languages", "de", "--json")
    assert (both.code, home.exists()) == (2, False)


@pytest.fixture
def last_week(tmp_path: Path) -> tuple[Path, str]:
    """A home with a session of last week about a project."""
    home = tmp_path / "worked"
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        session = memory.sessions.create(project=str(tmp_path / "shop"))
        for text in ("Hi!", "how are you?", "Please rename the retry helper in billing"):
            memory.sessions.append(session.id, "user", text)
        memory.sync()
    (home / "config.yaml").write_text("embedding:\n  provider: none\n", "utf-8")
    return home, session.id


def test_what_is_observed_is_never_put_into_a_conversation(
    run: Run, last_week: tuple[Path, str], tmp_path: Path
) -> None:
    """It says where it is, twice the same place; the conversation is still the latest."""
    home, other = last_week
    first = run("--home", home, "observe", "Deployed", "--project", tmp_path / "shop")
    assert f"of the project {tmp_path / 'shop'}" in first.err
    assert "kept in the session notes" in first.err
    noted = run("--home", home, "observe", "Rolled back", "--json").json
    assert noted["session_id"] != other
    again = run("--home", home, "observe", "Once more", "--json").json
    assert again["session_id"] == noted["session_id"]
    with recollect.open(home) as memory:
        latest = memory.sessions.latest()
        assert latest is not None
        assert latest.id == other
        own = memory.sessions.create(key="agent:main:main")
        assert memory.search("Deployed", for_session=own.id).hits
    both = run("--home", home, "observe", "x", "--session", other, "--project", "p", "--json")
    assert both.code == 2


def test_a_title_is_about_the_work(run: Run, last_week: tuple[Path, str]) -> None:
    """In the list and above a hit: not the greeting that came first."""
    home, _ = last_week
    wanted = "Please rename the retry helper in billing"
    assert wanted in run("--home", home, "sessions").out
    assert wanted in run("--home", home, "search", "retry helper").out.splitlines()[0]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (["Guten Morgen!", "Wie geht's dir?", "Bitte prüfe den Import"], "Bitte prüfe den Import"),
        (["你好！", "请修复解析器的错误"], "请修复解析器的错误"),
        (["Hey Claude, fix the parser of dates"], "fix the parser of dates"),
        (["Hi", "thanks"], "Hi"),
        (["highlight the parser errors"], "highlight the parser errors"),
    ],
)
def test_a_greeting_is_no_title(tmp_path: Path, said: list[str], title: str) -> None:
    """Unless nothing else was said; a word that begins like one is none."""
    with recollect.open(tmp_path, overrides={"embedding.provider": "none"}, live=False) as memory:
        session = memory.sessions.create()
        for text in said:
            memory.sessions.append(session.id, "user", text)
        assert title_of(memory.sessions, memory.sessions.get(session.id)) == title


def test_a_doubtful_search_shows_fewer_hits(run: Run, tmp_path: Path) -> None:
    """Unless a number is asked for; programs get all."""
    home = tmp_path / "doubted"
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        session = memory.sessions.create()
        for number in range(8):
            memory.sessions.append(session.id, "user", f"The gasket of pump {number} is fine.")
        memory.sync()
    (home / "config.yaml").write_text("embedding:\n  provider: none\n", "utf-8")
    question = "which gasket did grandmother order for the greenhouse in Lisbon last winter"
    every = run("--home", home, "search", question, "--json").json
    assert every["confidence"] < 0.3
    assert len(every["hits"]) > DOUBTED
    shown = run("--home", home, "search", question)
    assert f"{len(every['hits']) - DOUBTED} more with --limit" in shown.err
    assert shown.out.count(" is fine.\n") == DOUBTED
    asked = run("--home", home, "search", question, "--limit", "4")
    assert asked.out.count(" is fine.\n") == 4
    lines = run("--home", home, "search", question, "--lines")
    assert len(lines.out.splitlines()) == DOUBTED


@pytest.mark.parametrize("command", [("observe", "Deployed"), ("remember", "Use tabs")])
def test_a_project_that_is_nowhere_is_refused(
    run: Run, home: Path, command: tuple[str, ...]
) -> None:
    """A typo would put it where no search of the project finds it."""
    run("--home", home, "init")
    done = run("--home", home, *command, "--project", "/nope", "--json")
    assert (done.code, done.error["code"]) == (1, "not_found")
    assert run("--home", home, "sessions", "--json").json["sessions"] == []
