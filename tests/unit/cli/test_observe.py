"""`recollect observe` and `forget`: what happened, told by a person."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import recollect
from tests.unit.cli.conftest import Run

NOON = 1_778_587_200_000


@pytest.fixture
def worked(tmp_path: Path) -> Path:
    """A home with twelve observations of one session."""
    home = tmp_path / "worked"
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        session = memory.sessions.create(title="work").id
        for n in range(12):
            memory.observations.record(session, summary=f"Jar {n} was filled.", at=NOON + n)
    (home / "config.yaml").write_text("embedding:\n  provider: none\n", "utf-8")
    return home


def test_without_a_number_the_newest_few_are_shown(run: Run, worked: Path) -> None:
    """As `tail` does; a number after it still counts, and what follows `--` is words."""
    few = run("--home", worked, "observe", "--last")
    assert (few.code, few.err) == (0, "")
    shown = [row.split()[0] for row in few.out.splitlines()]
    assert shown == [f"#{n}" for n in range(12, 2, -1)]
    assert run("--home", worked, "observe", "--last", "--session", "work").out == few.out
    assert len(run("--home", worked, "observe", "--last", "--json").json["observations"]) == 10
    assert len(run("--home", worked, "observe", "--last", "2").out.splitlines()) == 2
    noted = run("--home", worked, "observe", "--type", "prompt", "A jar?", "--json").json
    asked = run("--home", worked, "observe", "--last", "--type", "prompt", "--json").json
    assert [each["number"] for each in asked["observations"]] == [noted["number"]]
    assert "  a --last b  " in run("--home", worked, "observe", "--", "a", "--last", "b").out
    for wrong in ("0", "-1", "few"):
        assert run("--home", worked, "observe", "--last", wrong, "--json").code == 2


def test_where_nothing_was_recorded_it_says_so(run: Run, home: Path) -> None:
    """An empty screen looks like a failure."""
    run("--home", home, "init")
    done = run("--home", home, "observe", "--last")
    assert (done.code, done.out, done.err) == (0, "", "nothing was recorded yet\n")
    assert run("--home", home, "observe", "--last", "--json").json == {"observations": []}


@pytest.mark.parametrize("words", [(), ("",), (" ", "\n")])
def test_a_note_without_words_is_refused(run: Run, worked: Path, words: tuple[str, ...]) -> None:
    """It was stored as a line that says nothing."""
    done = run("--home", worked, "observe", *words, "--json")
    assert (done.code, done.error["message"]) == (2, "say what happened")
    assert len(run("--home", worked, "observe", "--last", "99").out.splitlines()) == 12


def test_every_list_shows_the_time_of_this_place(
    run: Run, worked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One record had two times, in UTC in one list and of the machine in the next."""
    run("--home", worked, "observe", "We decided to use jars.")
    run("--home", worked, "context", "work")
    monkeypatch.setenv("TZ", "XYZ-5")
    time.tzset()
    assert "#1  2026-05-12 17:00  " in run("--home", worked, "get", "#1").out
    assert "#1  2026-05-12 17:00  " in run("--home", worked, "observe", "--last", "13").out
    with recollect.open(worked, overrides={"embedding.provider": "none"}) as memory:
        at = memory.context.injections()[0].at + 5 * 3_600_000
    told = run("--home", worked, "context", "--last").out
    assert told.startswith(time.strftime("%Y-%m-%d %H:%M", time.gmtime(at / 1000)))


def test_a_type_cannot_move_the_cursor(run: Run, worked: Path) -> None:
    """Types are open: a program gives any."""
    done = run("--home", worked, "observe", "filled", "--type", "\x1b[2Jtea\nleaf")
    assert "\x1b" not in done.out
    assert len(done.out.splitlines()) == 1


def test_what_is_missing_is_named_and_the_rest_is_forgotten(run: Run, worked: Path) -> None:
    """As `get` does: whoever reads only that one does not exist believes that nothing was done."""
    done = run("--home", worked, "forget", "#1", "#99", "#2")
    assert (done.code, done.out) == (1, "forgotten #1, #2\n")
    assert done.err == "there is no #99\n"
    back = run("--home", worked, "forget", "#2", "#99", "--undo", "--json")
    assert [each["number"] for each in back.json["observations"]] == [2]
    assert (back.code, back.json["missing"]) == (1, ["#99"])
    none = run("--home", worked, "forget", "#98", "#99", "--json")
    assert (none.code, none.out, none.error["code"]) == (1, "", "not_found")


def test_an_id_of_another_kind_changes_nothing(run: Run, worked: Path) -> None:
    """It is wrong usage, also after one that is right."""
    done = run("--home", worked, "forget", "#1", "m1", "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert run("--home", worked, "get", "#1").code == 0
