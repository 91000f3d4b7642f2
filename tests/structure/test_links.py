"""Links: every local link and anchor of every Markdown page leads somewhere. No network."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
MADE = {".venv", ".git", "build", "dist", "_build", ".cache", ".pytest_cache"}
PAGES = sorted(p for p in ROOT.rglob("*.md") if not MADE.intersection(p.relative_to(ROOT).parts))
LABEL = re.compile(r"^\(([\w-]+)\)=$|<a id=\"([\w-]+)\">|^:name: ([\w-]+)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_local_link_leads_somewhere(page: Path) -> None:
    """A renamed page or heading must not leave dead links behind."""
    dead = [link for link in _links(page) if not _leads_somewhere(page, link)]
    assert dead == []


def _links(page: Path) -> Iterator[str]:
    for token in _inline(page):
        target = token.attrGet("href") or token.attrGet("src")
        if isinstance(target, str) and not urlsplit(target).scheme:
            yield target


def _inline(page: Path) -> Iterator[Token]:
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(page.read_text("utf-8")):
        yield from token.children or []


def _leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = unquote(link).partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return False
    return not anchor or target.suffix != ".md" or anchor in _anchors(target)


def _anchors(page: Path) -> set[str]:
    text = page.read_text(encoding="utf-8")
    labels = {label for match in LABEL.findall(text) for label in match if label}
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    headings = [after for token, after in pairwise(tokens) if _opens(token)]
    return labels | {_slug(_plain(heading)) for heading in headings}


def _opens(token: Token) -> bool:
    return token.type == "heading_open"


def _plain(heading: Token) -> str:
    return "".join(child.content for child in heading.children or [])


def _slug(heading: str) -> str:
    kept = (c for c in unicodedata.normalize("NFC", heading.lower()) if c.isalnum() or c in " -_")
    return "".join(kept).strip().replace(" ", "-")
