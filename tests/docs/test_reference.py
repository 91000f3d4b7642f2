"""Reference pages: complete, and equal to what the code says now."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.core import errors
from recollect.core.errors import RecollectError
from recollect.core.settings import list_options

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
DECISIONS = sorted((DOCS / "adr").glob("[0-9]*.md"))


def _text(*parts: str) -> str:
    return DOCS.joinpath(*parts).read_text(encoding="utf-8")


def _tree(root: type[RecollectError]) -> Iterator[type[RecollectError]]:
    yield root
    for child in root.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from _tree(child)


def test_the_pages_read_off_the_code_are_up_to_date() -> None:
    """A setting or command that is missing on its page fails here; `make reference` writes them."""
    command = [sys.executable, str(ROOT / "scripts" / "reference.py"), "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_error_code_has_its_paragraph() -> None:
    """A reader who searches for a code must find what to do."""
    headings = set(re.findall(r"^##+ (\w+)$", _text("reference", "errors.md"), re.MULTILINE))
    assert headings == {error.code for error in _tree(RecollectError)}


def test_every_dependency_has_its_line() -> None:
    """A dependency that nobody can justify should not be there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(line for lines in extras.values() for line in lines)]
    names = {re.split(r"[<>=\[ ]", line)[0] for line in wanted} - {"recollect"}
    rows = re.findall(r"^\| ([\w-]+)", _text("adr", "0003-dependencies.md"), re.MULTILINE)
    assert names == set(rows) - {"package"}


def test_every_part_of_a_score_is_explained() -> None:
    """`--explain` prints these names; the search page must say what they mean."""
    weights = [o.key for o in list_options() if o.key.startswith("search.ranking.")]
    rows = set(re.findall(r"^\| `(\w+)` \|", _text("search.md"), re.MULTILINE))
    # Other weights of the parts `group` and `date`.
    second = {"search.ranking.group_alone", "search.ranking.relative_date"}
    assert rows == {key.rpartition(".")[2] for key in weights if key not in second}


_TABLES = (("index.md",), ("adr", "index.md"), ("agents", "index.md"))


def test_every_page_can_be_reached() -> None:
    """Sphinx warns about a page outside of every table of contents; this also runs without it."""
    listed = "".join(_text(*parts) for parts in _TABLES)
    pages = [p for p in DOCS.rglob("*.md") if "_build" not in p.parts and p.stem != "template"]
    assert [str(p) for p in pages if p.name != "index.md" and p.stem not in listed] == []


def test_the_index_shows_every_page() -> None:
    """A reader sees the text of the index, not its hidden tables."""
    shown = set(re.findall(r"\[[^]]*\]\(([\w/-]+\.md)\)", _text("index.md")))
    pages = {
        str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md") if "_build" not in page.parts
    }
    rooms = {each for each in pages if each.startswith(("adr/", "agents/"))} | {"index.md"}
    assert pages - rooms - shown == set()
    assert {"adr/index.md", "agents/index.md"} <= shown
    named = set(re.findall(r"\(([\w-]+\.md)\)", _text("agents", "index.md")))
    assert {f"agents/{each}" for each in named} >= {
        each for each in rooms if each.startswith("agents/") and each != "agents/index.md"
    }


def test_the_page_of_the_library_has_the_whole_surface() -> None:
    """Each line that the snapshot of the library has."""
    surface = ROOT / "tests" / "structure" / "snapshots" / "python.txt"
    page = set(_text("reference", "python.md").splitlines())
    assert [line for line in surface.read_text("utf-8").splitlines() if line not in page] == []


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: str(page.stem))
def test_a_decision_has_the_four_parts(page: Path) -> None:
    """A decision without "what would change our mind" is a habit."""
    headings = re.findall(r"^## (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == ["Context", "Decision", "Consequences", "What would change our mind"]
    assert page.name in _text("adr", "index.md")
