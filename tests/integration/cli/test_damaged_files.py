"""Losing or damaging any single file of a home: the table of docs/recover.md, row by row."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import recollect
from recollect.cli.main import main
from recollect.core.errors import RecollectError
from recollect.core.scope import Scope
from recollect.memory import Memory

PAGE = Path(__file__).resolve().parents[3] / "docs" / "recover.md"
ROW = re.compile(
    r"^\| `([^`]+)` \| (\w+) \| (refused|answers|warns) \| `?([^|`]+?)`? \|$", re.MULTILINE
)
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))
CONFIG = "sessions:\n  owner: []\nagents:\n  ann:\n    search:\n      limit: 4\n"
WORDS_ONLY = {
    "no embedder is installed: only words were compared",
    "embeddings are switched off: only words were compared",
}
SAID = 40


def overwrite(path: Path) -> None:
    """Put zeros over the middle third."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 3)
        file.write(bytes(max(1, size // 3)))


DAMAGE: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: os.truncate(path, 0),
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "overwritten": overwrite,
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed home with two sessions, settings, and an agent with an index of its own."""
    home = tmp_path_factory.mktemp("sound") / "home"
    home.mkdir(0o700)
    (home / "config.yaml").write_text(CONFIG, encoding="utf-8")
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        for word in ("lanterns", "kites"):
            session = memory.sessions.create("agent:ann:main")
            told = [("user", f"{word} number {n} hang here") for n in range(SAID)]
            memory.sessions.append_many(session.id, told)
        memory.sync()
    with closing(opened(home, "ann")) as memory:
        memory.sync()
    return home


@pytest.fixture
def home(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, and nothing of the user's own."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("RECOLLECT_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")
    return Path(shutil.copytree(sound, tmp_path / "home"))


def opened(home: Path, agent: str | None) -> Memory:
    """Open the home as everybody, or as an agent."""
    overrides = {"embedding.provider": "none"}
    return recollect.open(home, scope=Scope(agent=agent), overrides=overrides, live=False)


def find(home: Path, agent: str | None) -> list[str]:
    """Check that all that was said is found and read; return what is told of it."""
    warnings: list[str] = []
    with closing(opened(home, agent)) as memory:
        for word in ("lanterns", "kites"):
            result = memory.search(word, limit=100)
            assert len(result.hits) == SAID
            warnings += result.warnings
        assert [len(memory.sessions.messages(each.id)) for each in memory.sessions.list()] == [
            SAID,
            SAID,
        ]
    return [warning for warning in warnings if warning not in WORDS_ONLY]


def places(home: Path, name: str) -> list[Path]:
    """Return the files that a row means."""
    found = sorted(home.rglob(name) if name.startswith("*") else home.glob(name.replace("ID", "*")))
    assert found
    return found


def mend(home: Path, path: Path, remedy: str) -> None:
    """Do what the row says."""
    if remedy == "remove the file":
        path.unlink()
    elif remedy != "nothing to do":
        assert main(["--home", str(home), *remedy.split()[1:]]) == 0


def warned(home: Path, agent: str | None) -> list[str]:
    """Return what is told of a damage: the hint of an error, or the warnings beside all hits."""
    try:
        return find(home, agent)
    except RecollectError as error:
        return [error.hint]


@pytest.mark.parametrize("row", ROWS, ids="-".join)
def test_no_damage_gives_an_empty_answer_and_all_of_it_comes_back(
    home: Path, tmp_path: Path, row: tuple[str, str, str, str]
) -> None:
    """Issue 10, Shows: file, damage, what happens, what brings it back."""
    name, damage, happens, remedy = row
    agent = "ann" if name.startswith("agents/") else None
    for number, path in enumerate(places(home, name)):
        relative = path.relative_to(home)
        again = Path(shutil.copytree(home, tmp_path / f"copy-{number}"))
        DAMAGE[damage](again / relative)
        if happens == "refused":
            with pytest.raises(RecollectError) as refused:
                find(again, agent)
            assert refused.value.hint
        elif happens == "answers":
            assert find(again, agent) == []
        else:
            assert all(warned(again, agent) or [""])
        mend(again, again / relative, remedy)
        find(again, agent)  # may tell that the index is built again
        assert find(again, agent) == []
        assert main(["--home", str(again), "recover", "--dry-run"]) == 0  # nothing to do


def test_the_table_has_every_file_of_a_home(sound: Path) -> None:
    """Nobody can forget a new one; what is not there for long has a sentence below it."""
    named = {name for name, *_ in ROWS}
    told = {path for name in named for path in places(sound, name)}
    there = {path for path in sound.rglob("*") if path.is_file()}
    assert there - told == set()
    for name in named - {"*.lock", "config.yaml"}:
        assert {row[1] for row in ROWS if row[0] == name} == set(DAMAGE)
