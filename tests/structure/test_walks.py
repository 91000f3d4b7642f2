"""Walks: how far a reader must go to follow one real call, and that the pages tell the way."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from benchmarks.load.walk_worker import WalkRow
from benchmarks.load.walks import run_walks
from benchmarks.measure.environment import describe_environment

ROOT = Path(__file__).resolve().parents[2]


class Ceiling(msgspec.Struct, frozen=True, kw_only=True):
    """The most that a part of a call may walk; None: not held."""

    files: int | None = None
    moves: int | None = None
    reads: int | None = None
    modules: int | None = None


CEILINGS = {
    ("warm search", "caller"): Ceiling(files=35, moves=180, reads=4),
    ("append", "caller"): Ceiling(files=18, moves=60, reads=1),
    ("append", "writer"): Ceiling(files=11, moves=40),
    ("import of a line", "caller"): Ceiling(files=40, moves=254),
    ("changed file", "caller"): Ceiling(files=50, moves=220),
    ("changed file", "all"): Ceiling(files=60, moves=375),
    ("search with live=False", "caller"): Ceiling(files=46, moves=295, reads=9),
    ("context block", "caller"): Ceiling(files=25, moves=106),
    ("append until a hit", "caller"): Ceiling(files=64, moves=455),
    ("append until a hit", "all"): Ceiling(files=109, moves=1600),
    ("changed file until a hit", "caller"): Ceiling(files=64, moves=413),
    ("POST of an observation", "answered"): Ceiling(files=86),
    ("hook call", "all"): Ceiling(files=122, moves=1040),  # 994 idle, 1,025 under load
    ("recollect search", "all"): Ceiling(files=127, modules=290),
}
"""On Python 3.11; newer ones have no frames of comprehensions and walk less. Where this is heading:
16/50 for an append, 26/130 for a line, 35/220 for a file. Raised once: an append looks whether it
disturbs a holder, a search whether there are notes of guests, a scan of files which lines only
deleted sessions said, and an import whether the ids of a line hold a secret. Raised
a second time: an import looks whether a session came from the same place, and what a person does
not want captured, and what a scope may see and an id may be is said below the rooms (one move of an
append, two of an import). On the command line a search says what each hit is called, and what all
of it would cost (four files), and finds a project by any of its paths; what our own tools answered
is not stored again (one module); what a memory is made of, and how, are two files since it can be
narrowed. It looks for a worker first, and takes part in the one lock of the
home (four files, ten modules); a language with spaces between words is one file.
An append and a line look up which secrets were recognised in their
session, which another process may have learnt: a read, and 22 moves of an append. A commit is
counted before it can be seen, so that the log is synced after the turn: one file and three moves of
the writer (adr/0007). An import records what tools did and prompts decided, and lets a line take
the place of what a hook reported of it (five files, 20 moves). A search looks whether the question
names a time, and says how probable the answer is: with the grammar of times and the confidence it
enters one file more than before them and makes nine moves more. What a time means is read only
where one is named, and the tables of Chinese and Japanese only for a text in such a script. The
arguments of a public call are compared with its annotations (one file, three moves of an import),
and cues of questions stand apart from those of texts. Whoever waits for a thread sees that it died,
in one file that all share: two moves for each commit that is waited for. An import asks which lines
were erased (one file, seven moves); its payloads and projects are two files.
What public reads answer is compared with a second copy (one file); a message is numbered before
its insert, so that its hash covers the number (four moves), and lines of a search are proved by the
hashes of their rows (two files). The sessions of a memory are a class of
their own, since a session that is held can ask the memory (one module). Who is linked to whom is
read with each context block (one file, four moves). Its lines are chosen apart from the values that
they are (one file, one move).
A search looks which kind of question it is and what was replaced, which facts its hits say, and
which summaries only repeat messages (seven moves; ten modules on the command line, three more for
the order of facts that were replaced and for the tenses of questions), and what
a message states is extracted behind the index, with its facts: a sync looks whether there is any
(four files, 28 moves: also how often accounts were linked), and 300 moves of the background. Its
sentences are read for what they share with others, whatever their slot (two files, 80 moves of the
background). A search reads the tense of the question in the file of its language, and what was
replaced by hand (six files, 30 moves, a read); a clause is weighed by the judge of statements,
whose files of weights are read once (seven files, 340 moves of the background). A search looks
whether one of its hits denies anything (one file). A view looks which ranges a rewind took out of
its session: two moves of a context block. Types are read for decoding in one file, under one lock,
since two threads that read one at once ended the process: one file, and up to fifteen moves
of the background.
"""


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], WalkRow]:
    """What the benchmark of the walks says of one run, by call and thread."""
    root = tmp_path_factory.mktemp("walks")
    run = run_walks(describe_environment(), root, None, lambda *_: None, runs=1)
    return {(row.call, row.part): row for row in run.here.rows}


def test_calls_walk_no_farther_than_they_did(
    walks: dict[tuple[str, str], WalkRow], note: Callable[[str], None]
) -> None:
    """House style: a reader must be able to walk the house."""
    too_far = []
    for call, most in CEILINGS.items():
        row = walks[call]
        measured = msgspec.structs.asdict(row.walk) | {"reads": row.reads, "modules": row.modules}
        held = {name: value for name, value in msgspec.structs.asdict(most).items() if value}
        shown = ", ".join(f"{name} {measured[name]} (at most {held[name]})" for name in held)
        note(f"walk of {'/'.join(call)}: {shown}")
        too_far += [call for name in held if (measured[name] or 0) > held[name]]
        assert row.walk.files > 0
    assert too_far == [], {call: sorted(walks[call].walk.entered) for call in too_far}


@pytest.mark.parametrize(
    ("heading", "call"),
    [("The path of a message", "append and sync"), ("The path of a question", "warm search")],
)
def test_the_page_tells_the_path(
    walks: dict[tuple[str, str], WalkRow], heading: str, call: str
) -> None:
    """docs/architecture.md: every file that it names is there and is entered."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    path = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    named = re.findall(r"`([\w/]+\.py)`", path)
    assert len(named) >= 10
    assert len(path.splitlines()) <= 24, "one screen"
    assert [name for name in named if not (ROOT / "src" / "recollect" / name).is_file()] == []
    assert [name for name in named if name not in walks[call, "all"].walk.entered] == []


def test_the_picture_shows_the_floors_of_the_contracts() -> None:
    """docs/_static/floors.svg: the same rooms in the same order, dashed where not built."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (floors,) = (one["layers"] for one in contracts if one["name"].startswith("Floors"))
    picture = (ROOT / "docs" / "_static" / "floors.svg").read_text(encoding="utf-8")
    drawn = []
    for floor in picture.split("<g>")[1:]:
        rooms = re.findall(r'class="(name|soft)"[^>]*>([^<]*)<', floor)
        drawn.append({name if kind == "name" else f"({name})" for kind, name in rooms})
    assert drawn == [set(re.split(r" [:|] ", layer)) for layer in floors]
