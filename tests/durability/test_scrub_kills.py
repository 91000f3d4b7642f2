"""A scrubbing that is killed anywhere: the next one ends where it would have ended."""

from __future__ import annotations

import shutil
from pathlib import Path

import recollect
from recollect.memory import Memory
from recollect.store.sqlite.home import TRANSCRIPTS
from tests.durability.deaths import deaths, run
from tests.durability.power import recorded
from tests.durability.scale import SCALE, report
from tests.support.leftovers import files_that_hold

SECRET = "quinceword"
LONG = "x " * 20_000
SAID = 130
"""More than a page of rows."""


def opened(home: Path, *patterns: str) -> Memory:
    """Return a memory with patterns of its owner, without an embedder and a background."""
    overrides = {"embedding.provider": "none", "privacy.patterns": patterns}
    return recollect.open(home, overrides=overrides, live=False)


def fill(home: Path) -> None:
    """Make a home with the secret in rows, a blob, a line that only a mirror has, and a note."""
    with opened(home) as memory:
        memory.sessions.start(session_id="one")
        memory.sessions.append_many("one", [("user", f"{SECRET} {n}") for n in range(SAID)])
        for number in range(2):
            memory.observations.record("one", "Bash", output=f"{LONG} {SECRET} {number}")
        memory.sessions.end("one")
        memory.sessions.create(title=f"about {SECRET}")
        named = memory.sessions.start(session_id="two").id
        memory.sessions.append(named, "user", "said in the second")
        memory.sessions.rename(named, f"the {SECRET}")
        memory.sync()
    with opened(home) as memory:
        memory.sessions.rename("two", "renamed")


def finish(home: Path) -> None:
    """Scrub once more: nothing is left, nothing else is gone, and all parts agree."""
    with opened(home, SECRET) as memory:
        receipt = memory.scrub()
        assert (receipt.is_clean, receipt.warnings) == (True, ())
        states = memory.heal_mirrors().keys()
        assert states == {"equal"}
        assert len(memory.sessions.messages("one")) == SAID
        found = memory.observations.get(["#1", "#2"], None).found
        assert [each.output[: len(LONG)] for each in found] == [LONG] * 2
        assert len(memory.search("redacted 7", limit=1).hits) == 1
        assert memory.search("second", limit=1).hits[0].session_id == "two"
    assert files_that_hold(home, SECRET) == []


def test_a_scrubbing_that_is_killed_anywhere_is_finished_by_the_next(tmp_path: Path) -> None:
    """Ahead of a call to the disk and between two of them, from the opening to the last sync."""
    base = tmp_path / "base"
    fill(base)
    life = run("scrub_until_death", shutil.copytree(base, tmp_path / "whole"), SECRET)
    assert life is not None
    kills = 0
    moments = deaths("scrub", life)
    while kills < SCALE.kills // 2:
        home = Path(shutil.copytree(base, tmp_path / "killed"))
        kills += run("scrub_until_death", home, SECRET, dies=next(moments)) is None
        finish(home)
        shutil.rmtree(home)
    report("scrubbings killed anywhere", kills=kills, calls=life.calls, left=0)


def test_a_mirror_is_there_at_any_time_while_it_is_scrubbed(tmp_path: Path) -> None:
    """Also one whose secret is in a line that the records no longer have."""
    home = tmp_path / "home"
    fill(home)
    with recorded(tmp_path) as recording, opened(home, SECRET) as memory:
        assert memory.scrub().files
    mirror = str(Path(home.name, TRANSCRIPTS, "two.jsonl"))
    assert [moment for moment in recording.moments if mirror not in moment.names] == []
    assert files_that_hold(home, SECRET) == []
