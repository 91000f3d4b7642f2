"""What of a message its speaker says: the clauses outside code, quotes, logs and pasted texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from recollect.text.statements.rulebook import Rulebook, small_letters

LONGEST_CLAUSE = 240
"""Characters; nobody states a fact in more, and patterns stay cheap."""
_FENCES = ("```", "~~~")
_MACHINE = re.compile(
    r"\s*(?:[>|#<{}\[\]@]|\$ |[+-]{3} |\d{4}-\d\d-\d\d[ T]\d\d:|\[?\d\d:\d\d:\d\d"
    r"|Traceback \(|File \"|at [\w.$]+\(|[\w.]+(?:Error|Exception):|(?:import|from|def|class|return"
    r"|const|let|var|function|public|private|SELECT|INSERT|CREATE|if|for|while)\b.*[;:({]\s*$)"
)
"""A line of a log, a quote, code, a table or a heading."""
_ADDRESSED = re.compile(
    r"\s*(?:@(?!(?:param|returns?|throws|see|media|import|keyframes|font-face)\b)[\w.-]+[,:]? +)+"
    r"(?=\S)"
)
"""The names of who is spoken to, at the beginning of a line; a decorator has no word after it."""
_MAIL = re.compile(r"\s*(?:From|To|Subject|Von|An|Betreff|De|Para|Asunto|Assunto|À|Objet)\s?: \S")
_QUOTED = re.compile(
    r'"[^"\n]{12,}"|“[^”\n]{12,}”|„[^“”\n]{12,}[“”]|«[^»\n]{12,}»|「[^」\n]{7,}」|『[^』\n]{12,}』'
    r"|“[\u3000-\u9fff][^”\n]{6,}”|\"[\u3000-\u9fff][^\"\n]{6,}\""
)
_COLON = re.compile(r"[:：](?=\s|$|[\"“„「\u3000-\u9fff\uac00-\ud7af])")
_SWITCHES = re.compile("[:：]|```|~~~")
"""What a line has that decides of the lines after it."""
_QUOTES = frozenset('"“„«「『')
_AT_MARK = (
    r"[.!?…。！？](?:(?<=[。！？])[。！？]*[」』”’]{0,3}"
    r"|(?<!\b\w\.)(?<!\s\d\.)(?<!\s\d\d\.)(?<!\b[DSM]r\.)(?<!\bMrs\.)(?<!\bvs\.)(?<!\bSt\.)"
    r"[.!?…]*[\"'”’)\]]{0,3}(?=\s|$|[\u3000-\u9fff\uac00-\ud7af]))"
)
_PLAIN_ENDS = re.compile(_AT_MARK)
_ENDS = re.compile(r"[ㅋㅎㅠㅜ]{2,}|[\U0001f300-\U0001faff]+(?=\s|$)|" + _AT_MARK)
"""The ends of sentences, laughter and emoji too; not abbreviations and the number of a day."""
_COMMAS = re.compile(
    r"[,，、;；:：\s](?:(?<=[,，、;；]) ?|(?<=\s)[-–—]\s|(?<=는데 )"
    r"|(?<=[:：])(?=\s|[\u3000-\u9fff]))"
)
"""What may part what a question tells from what it asks. Its first characters come first, for such
a pattern is searched for several times as fast."""
_BULLET = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s+(?:\[[ x]\]\s+)?|\s+")
_TRAIL = " \t\r\u3000.,;:!?…。！？，"
"""What may follow the last word of a clause."""
_CLOSING = "\"'”’)」 "
_ASKS = ("?", "？")


class Clause(msgspec.Struct, frozen=True):
    """A clause: where it is in the message, and its words with plain apostrophes."""

    start: int
    end: int
    text: str
    lowered: str
    is_asked: bool
    is_before_question: bool = False


class _Line(NamedTuple):
    """A line: where it begins in the message, without quotations, and that in small letters."""

    start: int
    flat: str
    lowered: str


def own_lines(
    text: str, book: Rulebook, offsets: list[int] | None = None
) -> Iterator[tuple[int, str]]:
    """Yield the lines that a speaker wrote, with their offsets; all after a handover is pasted.

    Args:
        text: The text of the message.
        book: The rules for it.
        offsets: If given, only lines with one of these offsets, of which the last comes first.
    """
    fence = ""
    for here, line, is_wanted in _lines(text, offsets):
        opening = line.lstrip()[:3]
        if opening in _FENCES and (not fence or fence == opening):
            fence = "" if fence else opening
            continue
        if not fence and opening[:1] == "@" and (name := _ADDRESSED.match(line)):
            here, line = here + name.end(), line[name.end() :]
        if fence or _MACHINE.match(line):
            continue
        if _MAIL.match(line):
            return
        colon = _handover(line, book)
        if is_wanted:
            yield here, line if colon < 0 else line[:colon]
        if colon >= 0:
            return


def _lines(text: str, offsets: list[int] | None) -> Iterator[tuple[int, str, bool]]:
    """Yield the lines that decide of anything, and whether they are wanted, up to the last such."""
    start = 0
    for line in text.split("\n"):
        here, start = start, start + len(line) + 1
        is_wanted = offsets is None
        if offsets is not None:
            while offsets and offsets[-1] < here:
                offsets.pop()
            if not offsets:
                return
            is_wanted = offsets[-1] < start
        if line and not line.isspace() and (is_wanted or _SWITCHES.search(line)):
            yield here, line, is_wanted


def _handover(line: str, book: Rulebook) -> int:
    """Return the offset of a colon after which there is another's text; -1 if there is none."""
    if ":" not in line and "：" not in line:
        return -1
    for match in _COLON.finditer(line, 0, 400):
        before = small_letters(line[max(0, match.start() - 80) : match.start()])
        if book.has("handovers", before):
            return match.start()
    return -1


def unquoted(line: str) -> str:
    """Return a line of the same length with plain apostrophes, and quotations as underscores."""
    flat = line.replace("’", "'")
    if '"' not in flat and (flat.isascii() or _QUOTES.isdisjoint(flat)):
        return flat
    return _QUOTED.sub(lambda match: "_" * len(match[0]), flat)


def clauses(
    line: str, start: int, book: Rulebook, is_wanted: Callable[[str], bool] | None = None
) -> Iterator[Clause]:
    """Yield the clauses of a line, which begins at ``start`` of its message.

    Sentences that are not wanted are passed over.
    """
    flat = unquoted(line)
    whole = _Line(start, flat, small_letters(flat))
    for at, end in _sentence_spans(flat):
        if is_wanted is None or is_wanted(flat[at:end]):
            yield from _of_sentence(whole, at, end, book)


def _sentence_spans(flat: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a line are, without a bullet before the first."""
    at = bullet.end() if (bullet := _BULLET.match(flat)) else 0
    for match in (_PLAIN_ENDS if flat.isascii() else _ENDS).finditer(flat, at):
        yield at, match.end()
        at = match.end()
    if at < len(flat):
        yield at, len(flat)


def _of_sentence(line: _Line, at: int, end: int, book: Rulebook) -> Iterator[Clause]:
    """Yield the clauses of a sentence; of a question, those that state something before it asks."""
    start, flat, lowered = line
    asks = flat[at:end].rstrip(_CLOSING).endswith(_ASKS)
    pieces = list(_pieces(lowered, at, end, book.plain_signs["borders"]))
    if asks:
        pieces = [part for piece in pieces for part in _pieces(flat, *piece, _COMMAS)]
    for number, (first, last) in enumerate(pieces):
        words = flat[first:last].rstrip(_TRAIL)
        last = first + len(words)
        words = words.lstrip()
        first = last - len(words)
        if 2 <= len(words) <= LONGEST_CLAUSE:
            is_last = number == len(pieces) - 1
            low = lowered[first:last]
            is_asked = asks and (is_last or not book.has("subjects", low))
            yield Clause(start + first, start + last, words, low, is_asked, asks and not is_last)


def _pieces(flat: str, at: int, end: int, borders: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for border in borders.finditer(flat, at, end):
        if border.start() > at:
            yield at, border.start()
            at = border.end()
    yield at, end


def sentences(line: str, start: int) -> Iterator[Clause]:
    """Yield the sentences of a line, which begins at ``start`` of its message, without quotes."""
    flat = unquoted(line)
    for at, end in _sentence_spans(flat):
        words = flat[at:end].rstrip(_CLOSING)
        is_asked = words.endswith(_ASKS)
        words = words.rstrip(_TRAIL)
        last = at + len(words)
        words = words.lstrip()
        if 2 <= len(words) <= LONGEST_CLAUSE:
            first, last = start + last - len(words), start + last
            yield Clause(first, last, words, small_letters(words), is_asked)
