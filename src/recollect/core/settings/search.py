"""The settings of the search: how much it returns, how it ranks, and on which back ends."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

_WEIGHT = Meta(ge=0.0, le=10.0, extra={"unit": "weight"})


class RankingSettings(Struct, frozen=True, kw_only=True):
    """Weights of the parts of a score; one configuration serves every source.

    Chosen on development sets: docs/experiments.md, weights. The optimum is flat.
    """

    context: Annotated[
        float, _WEIGHT, "The share of the question's words in the text, its neighbours counted in."
    ] = 1.0
    group: Annotated[
        float, _WEIGHT, "The same share for the whole session or file that the text belongs to."
    ] = 0.3
    group_alone: Annotated[
        float,
        _WEIGHT,
        "The weight of group where no vectors take part and it has to do their work.",
    ] = 0.8
    vector: Annotated[
        float, _WEIGHT, "The likeness in meaning; without a model it does not count."
    ] = 0.8
    speaker: Annotated[
        float,
        _WEIGHT,
        "Said by the person that the question is about. .4 wrecks questions about others.",
    ] = 0.2
    date: Annotated[
        float, _WEIGHT, "Said on a day, in a month or a year that the question names."
    ] = 0.4
    relative_date: Annotated[
        float,
        _WEIGHT,
        "Said at a time that the question names relative to its own day: yesterday, last week.",
    ] = 0.5
    time: Annotated[float, _WEIGHT, "Names a time where the question asks for one."] = 0.1
    capitals: Annotated[float, _WEIGHT, "Has names in it where the question asks for one."] = 0.05
    question: Annotated[
        float, _WEIGHT, "Taken off a text that asks itself: questions seldom answer."
    ] = 0.05
    assistant: Annotated[
        float,
        Meta(ge=0.0, le=1.0, extra={"unit": "share"}),
        "What the assistant's words, and questions, lose of their score where a question names no "
        "one and is not about oneself: replies repeat what they reply to.",
    ] = 0.07
    elsewhere: Annotated[
        float,
        Meta(ge=0.0, le=1.0, extra={"unit": "share"}),
        "What hits of other projects lose of their score where a project is at hand: that of the "
        "folder of an MCP client, or of the session that asks. Chosen on development sets: "
        "docs/experiments.md, the project at hand. 0: nothing.",
    ] = 0.3
    newest: Annotated[
        float,
        Meta(ge=0.0, le=1.0, extra={"unit": "share"}),
        "What the oldest of several statements loses of its score where the question asks how "
        "things are now: which editor do I use now? What is known to be replaced loses nothing.",
    ] = 0.3
    own: Annotated[
        float,
        _WEIGHT,
        "Holds the question's pairs of characters itself; only in scripts without spaces, where "
        "short texts take over too much of what is next to them.",
    ] = 0.1
    kind: Annotated[
        float,
        Meta(ge=0.0, le=1.0, extra={"unit": "share"}),
        "The share of the gap to 1 that a text gains which names a thing of the kind that a "
        "question wants a list of: a hamster, for which pets.",
    ] = 0.1
    feedback: Annotated[
        float, _WEIGHT, "Shares the words of the best first results; only where those are files."
    ] = 0.8


class HybridSettings(Struct, frozen=True, kw_only=True):
    """The plain weighted sum of OpenClaw, for those who want its ranking instead of ours."""

    enabled: Annotated[
        bool,
        "Rank by the two weights below alone. false: by the measured weights of search.ranking, "
        "which find more.",
    ] = False
    vector_weight: Annotated[
        float,
        Meta(ge=0.0, le=1.0, extra={"unit": "weight"}),
        "Weight of meaning; both weights are scaled to a sum of 1.",
    ] = 0.7
    text_weight: Annotated[
        float, Meta(ge=0.0, le=1.0, extra={"unit": "weight"}), "Weight of words."
    ] = 0.3
    candidate_multiplier: Annotated[
        int,
        Meta(ge=0, le=1_000, extra={"unit": "times the limit"}),
        "Candidates as a multiple of the hits asked for, 200 at most, as OpenClaw counts them (it "
        "has 4). 0: search.candidates.",
    ] = 0


class DiversitySettings(Struct, frozen=True, kw_only=True):
    """Maximal marginal relevance: hits that repeat a better one move down."""

    enabled: Annotated[bool, "Reorder the hits; scores stay as they are."] = False
    relevance: Annotated[
        float,
        Meta(ge=0.0, le=1.0, extra={"unit": "weight"}),
        "Weight of the score against being different; 1 changes nothing.",
    ] = 0.7


class RecencySettings(Struct, frozen=True, kw_only=True):
    """A bounded factor for age, so that an old note that is the answer stays reachable."""

    enabled: Annotated[bool, "Let newer hits win among equals."] = False
    half_life_days: Annotated[
        float,
        Meta(ge=0.01, le=36_500.0, extra={"unit": "days"}),
        "Age at which half of what age can cost is lost.",
    ] = 30.0
    floor: Annotated[
        float,
        Meta(ge=0.0, le=1.0, extra={"unit": "factor"}),
        "The factor of the oldest hit. 0 is OpenClaw's decay, which hides old notes.",
    ] = 0.8


class LexicalSettings(Struct, frozen=True, kw_only=True):
    """What finds words."""

    backend: Annotated[
        str,
        Meta(min_length=1),
        "postings: our own index, which knows neighbours and sessions. fts5: SQLite's, in tables "
        "that any SQLite tool can read. Or one that another package brings. A change rebuilds.",
    ] = "postings"


class VectorSettings(Struct, frozen=True, kw_only=True):
    """What finds near vectors."""

    backend: Annotated[
        str,
        Meta(min_length=1),
        "memory: 1-bit codes in memory and an exact look at the best. sqlite-vec: the extension, "
        "in index.db. chroma: a Chroma database beside it or a server. Or one that another package "
        "brings.",
    ] = "memory"
    extension_path: Annotated[
        str | None, "File of the sqlite-vec extension. Unset: the one of its package."
    ] = None
    chroma_url: Annotated[
        str | None, "Address of a Chroma server. Unset: a folder of the home, in process."
    ] = None


class SearchSettings(Struct, frozen=True, kw_only=True):
    """What a search returns and how far it looks."""

    limit: Annotated[int, Meta(ge=1, le=1_000, extra={"unit": "hits"}), "Hits of a search."] = 6
    min_score: Annotated[
        float,
        Meta(ge=0.0, le=1.0, extra={"unit": "share of the best possible score"}),
        "Hits below it are left out, but for those with all the question's words in places that "
        "are left; when nothing reaches it, those with any of the words stay. 0 by default: no "
        "threshold.",
    ] = 0.0
    snippet_chars: Annotated[
        int, Meta(ge=40, le=20_000, extra={"unit": "characters"}), "Longest text shown of a hit."
    ] = 700
    candidates: Annotated[
        int,
        Meta(ge=10, le=100_000, extra={"unit": "messages for each way of finding them"}),
        "How many are scored exactly. 200 loses half a point of recall@10 against scoring all, 400 "
        "nothing that could be measured.",
    ] = 400
    posting_budget: Annotated[
        int,
        Meta(ge=1_000, le=100_000_000, extra={"unit": "postings"}),
        "Postings read, rarest words first, before the remaining common words are scored for the "
        "candidates only. At a million messages 20,000 costs 8.6 ms (p95) and 40,000 costs 12.2.",
    ] = 20_000
    exact_below: Annotated[
        int,
        Meta(ge=0, le=1_000_000, extra={"unit": "messages"}),
        "Up to this many in a scope every one is scored, without candidates.",
    ] = 10_000
    memory_share: Annotated[
        float,
        Meta(ge=0.0, le=1.0, extra={"unit": "share of the hits"}),
        "So many of the hits (rounded down, of three or more hits at least one) are kept for "
        "memory files that answer as well, so that long transcripts never drown them. 0: by score "
        "alone.",
    ] = 0.34
    projects: Annotated[
        tuple[str, ...],
        Meta(max_length=100),
        "Keys of the projects at hand, beside the project of the scope. Entries of memory files "
        "that are annotated for them rank higher, those for others lower.",
    ] = ()
    citations: Annotated[
        Literal["auto", "on", "off"],
        "Whether a hit names its place, such as memory/tea.md#L3-L9. auto: not in the session of a "
        "group; on: also below each hit on the screen.",
    ] = "auto"
    backend: Annotated[
        str,
        Meta(min_length=1),
        "What answers for memory files. qmd: the external command; whenever it fails the builtin "
        "index answers. Or one that another package brings.",
    ] = "builtin"
    ranking: RankingSettings = field(default_factory=RankingSettings)
    hybrid: HybridSettings = field(default_factory=HybridSettings)
    diversity: DiversitySettings = field(default_factory=DiversitySettings)
    recency: RecencySettings = field(default_factory=RecencySettings)
    lexical: LexicalSettings = field(default_factory=LexicalSettings)
    vector: VectorSettings = field(default_factory=VectorSettings)
