"""What is replaced in real talk: all links of LoCoMo and BEAM, and BEAM's questions about changes.

A judge reads the links; of BEAM's questions about an updated value and about a contradiction it is
known which messages they are about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

import recollect
from benchmarks.datasets.corpus import Conversation, DialogueSet, Question
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from benchmarks.quality.replaced import LEXICAL, links_of
from recollect.core.numbers import show_number
from recollect.memory import Memory

UPDATE, CONTRADICTION = "knowledge_update", "contradiction_resolution"
LONGEST_SHOWN = 240
HITS = 10


class RealLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link with both texts, for a judge."""

    conversation: str
    rule: str
    older: str
    newer: str


class RealCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a data set.

    Attributes:
        name: The set.
        flagged: Links that are only possible.
        updates: Questions about an updated value.
        updated_first: The updated message is found before the original one.
        contradictions: Questions about a contradiction, within one message or between several.
        both_found: All its messages are among the first ten hits.
        flagged_both: Two of them name each other as contradicting, or one names itself.
        flagged_one: One of them names another hit, of which it is not known what it says.
        linked: One replaced the other.
    """

    name: str
    flagged: int = 0
    updates: int = 0
    updated_first: int = 0
    contradictions: int = 0
    both_found: int = 0
    flagged_both: int = 0
    flagged_one: int = 0
    linked: int = 0

    def plus(self, other: RealCounts) -> RealCounts:
        """Return the sums."""
        fields = [name for name in self.__struct_fields__ if name != "name"]
        sums = {name: getattr(self, name) + getattr(other, name) for name in fields}
        return RealCounts(name=self.name, **sums)


class RealChanges(msgspec.Struct, frozen=True, kw_only=True):
    """All links, and the counts of each set."""

    links: tuple[RealLink, ...]
    counts: tuple[RealCounts, ...]


def find_real_changes(
    sets: Sequence[DialogueSet], *, hybrid: bool, progress: Progress
) -> RealChanges:
    """Extract every conversation in a home of its own."""
    links: list[RealLink] = []
    counts = []
    for data in sets:
        total = RealCounts(name=data.name)
        for done, conversation in enumerate(data.conversations, 1):
            asked = [each for each in data.questions if each.cluster == conversation.key]
            found, own = _in_home(conversation, asked, {} if hybrid else LEXICAL)
            links += found
            total = total.plus(own)
            progress(f"{data.name} links", done, len(data.conversations))
        counts.append(total)
    return RealChanges(links=tuple(links), counts=tuple(counts))


def _in_home(
    conversation: Conversation, asked: Sequence[Question], overrides: Mapping[str, str]
) -> tuple[list[RealLink], RealCounts]:
    with (
        TemporaryDirectory(prefix="recollect-bench-") as folder,
        recollect.open(Path(folder) / "home", overrides=overrides, live=False) as memory,
    ):
        keys = _store(memory, conversation)
        memory.sync()
        links = links_of(memory)
        counts = RealCounts(name="", flagged=sum(is_flagged for *_, is_flagged in links))
        pairs = [(keys[older], keys[newer], flagged) for older, newer, _, flagged in links]
        for question in asked:
            counts = counts.plus(_about(memory, question, keys, pairs))
    texts = {turn.key: turn.text for session in conversation.sessions for turn in session.turns}
    shown = [
        RealLink(
            conversation=conversation.key,
            rule=rule,
            older=texts[keys[older]][:LONGEST_SHOWN],
            newer=texts[keys[newer]][:LONGEST_SHOWN],
        )
        for older, newer, rule, is_flagged in links
        if not is_flagged
    ]
    return shown, counts


def _store(memory: Memory, conversation: Conversation) -> dict[str, str]:
    """Store a conversation; return the keys of its turns by the ids and names of messages."""
    keys: dict[str, str] = {}
    for session in conversation.sessions:
        id_ = memory.sessions.create().id
        drafts = [{"role": t.role, "content": t.text, "at": t.at} for t in session.turns]
        stored = memory.sessions.append_many(id_, drafts)
        for message, turn in zip(stored, session.turns, strict=True):
            keys[message.id] = keys[show_number("message", message.number)] = turn.key
    return keys


def _about(
    memory: Memory,
    question: Question,
    keys: Mapping[str, str],
    links: Sequence[tuple[str, str, bool]],
) -> RealCounts:
    """Return the counts of one question about a change or a contradiction."""
    kind = question.key.rpartition("/")[2].rpartition("-")[0]
    if kind != CONTRADICTION and (kind != UPDATE or len(question.gold) < 2):
        return RealCounts(name="")
    gold = sorted(question.gold, key=_number)
    hits = memory.search(question.text, limit=HITS).hits
    found = [keys.get(hit.ref, "") for hit in hits]
    ranks = {key: rank for rank, key in reversed([*enumerate(found)])}
    if kind == UPDATE:
        newest = ranks.get(gold[-1], HITS)
        is_first = newest < min(ranks.get(key, HITS) for key in gold[:-1])
        return RealCounts(name="", updates=1, updated_first=is_first)
    named = {
        key: [keys[name] for name in hit.contradicts] for key, hit in zip(found, hits, strict=True)
    }
    own = [named.get(key, []) for key in gold]
    return RealCounts(
        name="",
        contradictions=1,
        both_found=all(key in ranks for key in gold),
        flagged_both=any(key in gold for names in own for key in names),
        flagged_one=any(own),
        linked=any(not f and older in gold and newer in gold for older, newer, f in links),
    )


def _number(key: str) -> int:
    return int(key.rpartition("/")[2])


def real_grids(found: RealChanges) -> Iterator[Grid]:
    """Yield the tables: counts, and links to be judged."""
    names = [name for name in RealCounts.__struct_fields__ if name != "name"]
    rows = tuple((c.name, *(str(getattr(c, name)) for name in names)) for c in found.counts)
    header = ("set", *(name.replace("_", " ") for name in names))
    yield Grid(title="Changes in real talk", columns=header, rows=rows)
    links = tuple((e.conversation, e.rule, e.older, e.newer) for e in found.links)
    title = f"{len(links)} links to be judged"
    yield Grid(title=title, columns=("conversation", "rule", "older", "newer"), rows=links)
