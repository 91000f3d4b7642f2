"""The tree of settings: every option with its unit, range, default and reason.

The `Meta` of a field is what `recollect config` and the settings page show, so it is the only
place where an option is described. Functions take the section that they need, never the tree.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field


class StoreSettings(Struct, frozen=True, kw_only=True):
    """How the two databases are written."""

    durability: Annotated[
        Literal["full", "fast"],
        Meta(
            description="full: a row is on the disk when the call returns. fast: a power cut can "
            "take the last commits of records.db, a killed process still takes none."
        ),
    ] = "full"
    busy_timeout_ms: Annotated[
        int,
        Meta(
            ge=0,
            le=600_000,
            extra={"unit": "ms"},
            description="How long to wait while another process writes, before giving up. Eight "
            "processes with 10 s lost one write in 3,200; with 100 ms they lost eight.",
        ),
    ] = 10_000
    checkpoint_pages: Annotated[
        int,
        Meta(
            ge=16,
            le=1_000_000,
            extra={"unit": "pages of 4 KiB"},
            description="Size of the write-ahead log from which the checkpoint thread writes it "
            "back. Larger: fewer writes; smaller: a shorter log to read.",
        ),
    ] = 1_000
    cache_kib: Annotated[
        int,
        Meta(
            ge=256,
            le=16_777_216,
            extra={"unit": "KiB"},
            description="Page cache of each database connection; it is a limit, not a reservation.",
        ),
    ] = 16_384


class ChunkingSettings(Struct, frozen=True, kw_only=True):
    """How memory files are cut into chunks. A change re-indexes the files."""

    tokens: Annotated[
        int,
        Meta(
            ge=8,
            le=8_000,
            extra={"unit": "tokens of 4 characters"},
            description="Size of a chunk. 400 is OpenClaw's value: a few paragraphs, two windows "
            "of the local model.",
        ),
    ] = 400
    overlap: Annotated[
        int,
        Meta(
            ge=0,
            le=4_000,
            extra={"unit": "tokens of 4 characters"},
            description="How much of a chunk, in whole lines, the next one repeats, so that an "
            "answer on a border is whole in one of them. Smaller than tokens.",
        ),
    ] = 80


class EmbeddingSettings(Struct, frozen=True, kw_only=True):
    """Which model makes the vectors, and how much of the machine it may use."""

    provider: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            description="auto: the local model where it is installed, else lexical search only. "
            "Otherwise provider or provider:model, such as local:all-MiniLM-L6-v2, or none.",
        ),
    ] = "auto"
    model_path: Annotated[
        str | None,
        Meta(
            description="Folder that holds the files of the local model. Unset: its place in the "
            "models folder, which RECOLLECT_MODELS moves.",
        ),
    ] = None
    quantisation: Annotated[
        Literal["int8", "fp32"],
        Meta(
            description="Weights of the local model. int8 is three times as fast and a quarter of "
            "the size; recall@10 on LoCoMo is the same (.420 against .419). A change re-embeds.",
        ),
    ] = "int8"
    threads: Annotated[
        int,
        Meta(
            ge=1,
            le=64,
            extra={"unit": "threads"},
            description="Threads of the local model; two leave a laptop usable.",
        ),
    ] = 2
    batch_size: Annotated[
        int,
        Meta(
            ge=1,
            le=512,
            extra={"unit": "texts"},
            description="Texts that a thread takes at once, and the step of the progress. The "
            "model reads them one by one, so that a vector depends on its text alone.",
        ),
    ] = 8
    max_windows: Annotated[
        int,
        Meta(
            ge=1,
            le=1_024,
            extra={"unit": "windows of the model"},
            description="A text longer than the model reads is embedded in this many windows at "
            "most. Bounds the cost of one giant text. A change re-embeds.",
        ),
    ] = 8


def _weight(why: str) -> Meta:
    return Meta(ge=0.0, le=10.0, extra={"unit": "weight"}, description=why)


class RankingSettings(Struct, frozen=True, kw_only=True):
    """Weights of the parts of a score; one configuration serves every source.

    Chosen on development sets: docs/experiments.md, weights. The optimum is flat.
    """

    context: Annotated[
        float,
        _weight("The share of the question's words in the text, its neighbours counted in."),
    ] = 1.0
    group: Annotated[
        float,
        _weight("The same share for the whole session or file that the text belongs to."),
    ] = 0.3
    group_alone: Annotated[
        float,
        _weight("The weight of group where no vectors take part and it has to do their work."),
    ] = 0.8
    vector: Annotated[
        float,
        _weight("The likeness in meaning; without a model it does not count."),
    ] = 0.8
    speaker: Annotated[
        float,
        _weight("Said by the person that the question is about. .4 wrecks questions about others."),
    ] = 0.2
    date: Annotated[
        float, _weight("Said on a day, in a month or a year that the question names.")
    ] = 0.2
    time: Annotated[float, _weight("Names a time where the question asks for one.")] = 0.1
    capitals: Annotated[float, _weight("Has names in it where the question asks for one.")] = 0.05
    question: Annotated[
        float,
        _weight("Taken off a text that asks itself: questions seldom answer."),
    ] = 0.05
    feedback: Annotated[
        float,
        _weight("Shares the words of the best first results; only where those are files."),
    ] = 0.8


class SearchSettings(Struct, frozen=True, kw_only=True):
    """What a search returns and how far it looks."""

    limit: Annotated[
        int,
        Meta(ge=1, le=1_000, extra={"unit": "hits"}, description="Hits of a search."),
    ] = 6
    min_score: Annotated[
        float,
        Meta(
            ge=0.0,
            le=1.0,
            extra={"unit": "share of the best possible score"},
            description="Hits below it are left out. 0 by default: an exact keyword hit must never "
            "be cut by a threshold made for vectors.",
        ),
    ] = 0.0
    snippet_chars: Annotated[
        int,
        Meta(
            ge=40,
            le=20_000,
            extra={"unit": "characters"},
            description="Longest text shown of a hit.",
        ),
    ] = 700
    candidates: Annotated[
        int,
        Meta(
            ge=10,
            le=100_000,
            extra={"unit": "messages for each way of finding them"},
            description="How many are scored exactly. 200 loses half a point of recall@10 "
            "against scoring all, 400 nothing that could be measured.",
        ),
    ] = 400
    posting_budget: Annotated[
        int,
        Meta(
            ge=1_000,
            le=100_000_000,
            extra={"unit": "postings"},
            description="Postings read, rarest words first, before the remaining common words are "
            "scored for the candidates only. At a million messages 20,000 costs 8.6 ms (p95) and "
            "40,000 costs 12.2.",
        ),
    ] = 20_000
    exact_below: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            extra={"unit": "messages"},
            description="Up to this many in a scope every one is scored, without candidates.",
        ),
    ] = 10_000
    ranking: RankingSettings = field(default_factory=RankingSettings)


class WorkspaceSettings(Struct, frozen=True, kw_only=True):
    """Where the memory files are."""

    path: Annotated[
        str | None,
        Meta(description="Folder of MEMORY.md and memory/. Unset: no memory files."),
    ] = None
    extra_paths: Annotated[
        tuple[str, ...],
        Meta(
            max_length=1_000,
            description="More Markdown files or folders to index. Symbolic links are not followed.",
        ),
    ] = ()


class PrivacySettings(Struct, frozen=True, kw_only=True):
    """What is taken out of a text before anything is stored."""

    redact: Annotated[
        bool,
        Meta(
            description="Replace keys, passwords and <private> blocks by [redacted:kind:hash] "
            "before storage."
        ),
    ] = True
    patterns: Annotated[
        tuple[str, ...],
        Meta(
            max_length=200,
            description="More regular expressions (Python syntax) of secrets. They run on every "
            "text: keep them linear.",
        ),
    ] = ()


class SessionSettings(Struct, frozen=True, kw_only=True):
    """The life of a session."""

    idle_minutes: Annotated[
        int,
        Meta(
            ge=0,
            le=5_256_000,
            extra={"unit": "minutes"},
            description="A session without messages for so long is no longer fresh: opening its "
            "key starts a new one. 0: always fresh.",
        ),
    ] = 240
    mirror: Annotated[
        bool,
        Meta(description="Keep a readable transcripts/<session id>.jsonl beside the database."),
    ] = True


class Settings(Struct, frozen=True, kw_only=True):
    """The whole tree. Only the composition root sees it."""

    store: StoreSettings = field(default_factory=StoreSettings)
    chunking: ChunkingSettings = field(default_factory=ChunkingSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    workspace: WorkspaceSettings = field(default_factory=WorkspaceSettings)
    privacy: PrivacySettings = field(default_factory=PrivacySettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)
