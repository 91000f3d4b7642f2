"""The ranked list: one paragraph for each hit, with the question's words in it marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from recollect.cli.addresses import short
from recollect.cli.output.formatting import bar, day, link_spans
from recollect.cli.output.screen import console, line, one_line, sanitized
from recollect.core.numbers import show_number
from recollect.text.snippet import snippet
from recollect.text.terms import query_terms, terms

if TYPE_CHECKING:  # for a name only
    from recollect.index.query.hit import Hit


MOST_CHARS = 320
"""Of a hit's text on the screen; the JSON document has all of it."""
MOST_LINES = 5
INDENT = 4
BAR = 28

_KINDS = {
    "sessions": "message",
    "observations": "observation",
    "facts": "fact",
    "episodes": "episode",
}
"""By source of a hit: what it is, where it has no speaker."""
_FENCE = "```"
_LINE_INSIDE = re.compile(r"\n(?! {4}|\s*(?:[-*+#>|]|\d+[.)]\s|\n))\s*")
"""The end of a line within a paragraph or an item of a list."""


def show_hits(
    hits: list[Hit],
    question: str,
    titles: Mapping[str, str],
    *,
    explained: int = 0,
    cited: bool = False,
) -> None:
    """Print hits, best first.

    Args:
        hits: What was found.
        question: Its words are marked.
        titles: What sessions are called, by id.
        explained: For how many of them to show the parts of the score.
        cited: Whether to say below each where it is, as it is cited.
    """
    screen = console()
    most = max((share for hit in hits[:explained] for share in hit.why.values()), default=1.0)
    for rank, hit in enumerate(hits, start=1):
        if rank > 1:
            screen.print()
        screen.print(_head(rank, hit, titles, screen.width), soft_wrap=True)
        text = _text(hit, question, marked=screen.is_terminal)
        for row in text.wrap(screen, max(20, screen.width - INDENT)):
            row.rstrip()
            screen.print(Text(" " * INDENT) + row, soft_wrap=True)
        for link in hit.links:
            link_line = line((" " * INDENT, ""), *link_spans(link, from_file=hit.path is not None))
            screen.print(link_line, soft_wrap=True)
        if cited and hit.citation is not None:
            source = line((" " * INDENT, ""), (f"Source: {one_line(hit.citation)}", "dim"))
            screen.print(source, soft_wrap=True)
        if rank <= explained:
            for part in _parts(hit.why, most):
                screen.print(Text(" " * INDENT) + part, soft_wrap=True)


def address(hit: Hit) -> str:
    """Return the address of a hit, as `recollect get` takes it."""
    if hit.path is not None:
        return f"{hit.path}:{hit.start_line}-{hit.end_line}"
    if hit.number is not None:
        return show_number(_KINDS[hit.source], hit.number)
    if hit.session_id is not None:
        return f"{short(hit.session_id)}:{hit.seq}"
    return hit.ref


def _head(rank: int, hit: Hit, titles: Mapping[str, str], width: int) -> Text:
    head = line((f"{rank:>2}  ", "dim"), (f"{hit.score:.2f}  ", "bold green"))
    if hit.path is not None:
        head.append_text(line((address(hit), "bold"), (f"  {day(hit.at)}", "dim")))
        return head
    who = one_line(hit.name or hit.role or _KINDS.get(hit.source, ""))
    details = f"  {who}, {day(hit.at)}" if who else f"  {day(hit.at)}"
    details += "" if hit.until is None else f", until {day(hit.until)}"
    details += f", contradicts {', '.join(hit.contradicts)}" if hit.contradicts else ""
    location = address(hit)
    room = width - head.cell_len - cell_len(details) - len(location) - 2
    title = Text(one_line(titles.get(hit.session_id or "", hit.source)), "bold")
    title.truncate(max(room, 12), overflow="ellipsis")
    head.append_text(title).append(details, "dim")
    gap = max(2, width - head.cell_len - len(location))
    return head.append(" " * gap).append(location, "cyan")


def _text(hit: Hit, question: str, *, marked: bool) -> Text:
    """Return the part of a hit that fits best, its lines flowing, the question's words marked."""
    plain = sanitized(hit.snippet)
    excerpt = snippet(plain, query_terms(question), MOST_CHARS)
    flowing = excerpt.text if _FENCE in excerpt.text else _LINE_INSIDE.sub(" ", excerpt.text)
    rows = [row.rstrip() for row in flowing.splitlines() if row.strip()]
    is_cut = len(rows) > MOST_LINES or excerpt.end < len(plain.rstrip())
    body = ("… " if excerpt.start else "") + "\n".join(rows[:MOST_LINES])
    text = Text(body + (" …" if is_cut else ""))
    for start, end in matches(body, question) if marked else ():
        text.stylize("bold yellow", start, end)
    return text


def _parts(why: Mapping[str, float], most: float) -> Iterator[Text]:
    """Yield a line for each part of a score, the largest first; ``most`` fills a bar."""
    width = max(map(len, why), default=0)
    for name, value in sorted(why.items(), key=lambda part: -part[1]):
        drawn = bar(value / most, BAR)
        part = line((f"{name:<{width}}  ", "cyan"), (f"{value:>6.3f}  ", ""), (drawn, "green"))
        part.rstrip()
        yield part


_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3000-\U0003134f"
_IS_UNSPACED = rf"[{_UNSPACED}]"
_WORD = rf"{_IS_UNSPACED}+|[^\W{_UNSPACED}]+(?:['’][a-zA-Z]+)?"

Stretch = tuple[int, int]
"""Offsets of the first character, from 0, and after the last."""


def matches(text: str, question: str) -> list[Stretch]:
    """Return the stretches of ``text`` that match ``question``, in order; they do not overlap."""
    query = frozenset(query_terms(question))
    stretches: list[Stretch] = []
    for start, end in _stretches(text):
        if query.isdisjoint(terms(text[start:end])):
            continue
        if stretches and start <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], end)
        else:
            stretches.append((start, end))
    return stretches


def _stretches(text: str) -> Iterator[Stretch]:
    """Yield words; of a script without spaces every pair of characters."""
    for word in re.finditer(_WORD, text):
        start, end = word.span()
        if end - start > 2 and re.match(_IS_UNSPACED, text[start]):
            yield from ((position, position + 2) for position in range(start, end - 1))
        else:
            yield start, end
