"""A hint says what to do, so it begins with a verb; it goes on after a colon, in lower case."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERBS = frozenset(
    """add ask begin bring change check chmod choose close correct delete download end erase flatten
    fork free get give hold install keep leave let link list look make move multiply
    name open pass pipe put
    queue raise read remove report restore run see set shorten split start stop store take try turn
    update upgrade use wait wrap write""".split()
)


def _beginnings(hint: ast.expr) -> Iterator[str]:
    """Yield how a hint may begin; nothing where that is only known when the program runs."""
    match hint:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from _beginnings(one)
            yield from _beginnings(other)


def test_every_hint_begins_with_a_verb() -> None:
    """As far as the sources tell: the house rule of CONTRIBUTING.md."""
    others = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.keyword) and node.arg == "hint"):
                continue
            for text in _beginnings(node.value):
                first = text.split(maxsplit=1)[0].strip(",.:;") if text.strip() else ""
                if first and first not in VERBS:
                    others.append(f"{path.relative_to(ROOT)}:{node.value.lineno}: {text}")
    assert others == []
