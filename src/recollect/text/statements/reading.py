"""What of a message its speaker says: the clauses outside code, quotes, logs and pasted texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from recollect.text.statements.rulebook import Rulebook

LONGEST_CLAUSE = 240
"""Characters; nobody states a fact in more, and patterns stay cheap."""
_FENCES = ("```", "~~~")
_MACHINE = re.compile(
    r"\s*(?:[>|#<{}\[\]@]|\$ |[+-]{3} |\d{4}-\d\d-\d\d[ T]\d\d:|\[?\d\d:\d\d:\d\d"
    r"|Traceback \(|File \"|at [\w.$]+\(|[\w.]+(?:Error|Exception):|(?:import|from|def|class|return"
    r"|const|let|var|function|public|private|SELECT|INSERT|CREATE|if|for|while)\b.*[;:({]\s*$)"
)
"""A line of a log, a quote, code, a table or a heading."""
_MAIL = re.compile(r"\s*(?:From|To|Subject|Von|An|Betreff|De|Para|Asunto|Assunto|À|Objet)\s?: \S")
_QUOTED = re.compile(
    r'"[^"\n]{12,}"|“[^”\n]{12,}”|„[^“”\n]{12,}[“”]|«[^»\n]{12,}»|「[^」\n]{7,}」|『[^』\n]{12,}』'
    r"|“[\u3000-\u9fff][^”\n]{6,}”|\"[\u3000-\u9fff][^\"\n]{6,}\""
)
_QUOTES = frozenset('"“„«「『')
_ENDS = re.compile(
    r"[ㅋㅎㅠㅜ]{2,}|[\U0001f300-\U0001faff]+(?=\s|$)"
    r"|[.!?…。！？](?:(?<=[。！？])[。！？]*[」』”’]{0,3}"
    r"|(?<!\b\w\.)(?<!\s\d\.)(?<!\s\d\d\.)(?<!\b[DSM]r\.)(?<!\bMrs\.)(?<!\bvs\.)(?<!\bSt\.)"
    r"[.!?…]*[\"'”’)\]]{0,3}(?=\s|$|[\u3000-\u9fff\uac00-\ud7af]))"
)
"""The ends of sentences, laughter and emoji too; not abbreviations and the number of a day."""
_COMMAS = re.compile(r"[,，、;；] ?|\s[-–—]\s|(?<=는데) |[:：](?=\s|[\u3000-\u9fff])")
"""What may part what a question tells from what it asks."""
_BULLET = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s+(?:\[[ x]\]\s+)?|\s+")
_TRAIL = " \t\r\u3000.,;:!?…。！？，"
"""What may follow the last word of a clause."""
_ASKS = ("?", "？")


class Clause(msgspec.Struct, frozen=True):
    """A clause: where it is in the message, and its words with plain apostrophes."""

    start: int
    end: int
    text: str
    is_asked: bool
    is_before_question: bool = False


def own_lines(text: str, book: Rulebook) -> Iterator[tuple[int, str]]:
    """Yield the lines that a speaker wrote, with their offsets; all after a handover is pasted."""
    start, fence = 0, ""
    for line in text.split("\n"):
        here, start = start, start + len(line) + 1
        if not line or line.isspace():
            continue
        opening = line.lstrip()[:3]
        if opening in _FENCES and (not fence or fence == opening):
            fence = "" if fence else opening
        elif fence or _MACHINE.match(line):
            continue
        elif _MAIL.match(line):
            return
        else:
            colon = _handover(line, book)
            yield here, line if colon < 0 else line[:colon]
            if colon >= 0:
                return


def _handover(line: str, book: Rulebook) -> int:
    """Return the offset of a colon after which there is another's text; -1 if there is none."""
    if ":" not in line and "：" not in line:
        return -1
    for match in re.finditer(r"[:：](?=\s|$|[\"“„「\u3000-\u9fff\uac00-\ud7af])", line[:400]):
        before = line[max(0, match.start() - 80) : match.start()]
        if book.has("handovers", before):
            return match.start()
    return -1


def unquoted(line: str) -> str:
    """Return a line of the same length with plain apostrophes, and quotations as underscores."""
    flat = line.replace("’", "'")
    if _QUOTES.isdisjoint(flat):
        return flat
    return _QUOTED.sub(lambda match: "_" * len(match[0]), flat)


def clauses(
    line: str, start: int, book: Rulebook, has_cue: Callable[[str], bool]
) -> Iterator[Clause]:
    """Yield the clauses of a line, which begins at ``start`` of its message.

    Sentences without a cue are passed over.
    """
    flat = unquoted(line)
    at = bullet.end() if (bullet := _BULLET.match(flat)) else 0
    for end in _ENDS.finditer(flat, at):
        if has_cue(flat[at : end.end()]):
            yield from _of_sentence(flat, at, end.end(), start, book)
        at = end.end()
    if at < len(flat) and has_cue(flat[at:]):
        yield from _of_sentence(flat, at, len(flat), start, book)


def _of_sentence(flat: str, at: int, end: int, start: int, book: Rulebook) -> Iterator[Clause]:
    """Yield the clauses of a sentence; of a question, those that state something before it asks."""
    asks = flat[at:end].rstrip("\"'”’)」 ").endswith(_ASKS)
    pieces = list(_pieces(flat, at, end, book.signs["borders"]))
    if asks:
        pieces = [part for piece in pieces for part in _pieces(flat, *piece, _COMMAS)]
    for number, (first, last) in enumerate(pieces):
        words = flat[first:last].rstrip(_TRAIL)
        first += len(words) - len(words.lstrip())
        words = words.lstrip()
        if 2 <= len(words) <= LONGEST_CLAUSE:
            is_last = number == len(pieces) - 1
            is_asked = asks and (is_last or not book.has("subjects", words))
            yield Clause(
                start + first, start + first + len(words), words, is_asked, asks and not is_last
            )


def _pieces(flat: str, at: int, end: int, borders: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for border in borders.finditer(flat, at, end):
        if border.start() > at:
            yield at, border.start()
            at = border.end()
    yield at, end


def sentences(line: str, start: int) -> Iterator[Clause]:
    """Yield the sentences of a line, which begins at ``start`` of its message, without quotes."""
    flat = line.replace("’", "'")
    if not _QUOTES.isdisjoint(flat):
        flat = _QUOTED.sub(lambda match: "_" * len(match[0]), flat)
    at = bullet.end() if (bullet := _BULLET.match(flat)) else 0
    for end in (*(match.end() for match in _ENDS.finditer(flat, at)), len(flat)):
        words = flat[at:end].rstrip("\"'”’)」 ")
        is_asked = words.endswith(_ASKS)
        words = words.rstrip(_TRAIL)
        first = at + len(words) - len(words.lstrip())
        if 2 <= at + len(words) - first <= LONGEST_CLAUSE:
            yield Clause(start + first, start + at + len(words), words.lstrip(), is_asked)
        at = end
