"""What the pages name: a module, class or function of recollect that is there."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
NAME = re.compile(r"`(recollect(?:\.[A-Za-z_]\w*)+)(?:\(\))?`")
ENTRY_POINTS = re.compile(r"recollect\.(\w+_backends|embedders|language_models|channels)")


def test_every_dotted_name_on_a_page_is_there() -> None:
    """Groups of entry points look like modules, and are none."""
    found = {
        (name, page.name)
        for page in DOCS.rglob("*.md")
        for name in NAME.findall(page.read_text("utf-8"))
        if not ENTRY_POINTS.fullmatch(name)
    }
    assert len(found) > 20
    assert not {each for each in found if not _is_there(each[0])}


def _is_there(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True
