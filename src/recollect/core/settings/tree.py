"""The tree of settings: every option with its unit, range, default and reason.

An option is `Annotated[type, limits, description]`: what `recollect config` and the settings page
show is read off it. Functions take the section that they need, never the tree.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from recollect.core.settings.channels import ChannelSettings
from recollect.core.settings.checkpoints import CheckpointSettings
from recollect.core.settings.embedding import EmbeddingSettings
from recollect.core.settings.knowledge import KnowledgeSettings
from recollect.core.settings.responder import ResponderSettings
from recollect.core.settings.search import SearchSettings
from recollect.core.settings.server import HookSettings, ServerSettings, WorkerSettings
from recollect.core.settings.sessions import SessionSettings


class StoreSettings(Struct, frozen=True, kw_only=True):
    """How the two databases are written."""

    durability: Annotated[
        Literal["full", "fast"],
        "full: a row is on the disk when the call returns. fast: a power cut can take the last "
        "commits of records.db, a killed process still takes none.",
    ] = "full"
    busy_timeout_ms: Annotated[
        int,
        Meta(ge=0, le=600_000, extra={"unit": "ms"}),
        "How long to wait while another process writes, before giving up. Eight processes with 10 "
        "s lost one write in 3,200; with 100 ms they lost eight.",
    ] = 10_000
    checkpoint_pages: Annotated[
        int,
        Meta(ge=16, le=1_000_000, extra={"unit": "pages of 4 KiB"}),
        "Size of the write-ahead log from which the checkpoint thread writes it back. Larger: "
        "fewer writes; smaller: a shorter log to read. File checkpoints have a log of their own "
        "size.",
    ] = 1_000
    cache_kib: Annotated[
        int,
        Meta(ge=256, le=16_777_216, extra={"unit": "KiB"}),
        "Page cache of each database connection; it is a limit, not a reservation. The system "
        "caches the file as well: with four times as much nothing was faster.",
    ] = 4_096


class ChunkingSettings(Struct, frozen=True, kw_only=True):
    """How memory files are cut into chunks. A change re-indexes the files."""

    tokens: Annotated[
        int,
        Meta(ge=8, le=8_000, extra={"unit": "tokens of 4 characters"}),
        "Size of a chunk. 400 is OpenClaw's value: a few paragraphs, two windows of the local "
        "model.",
    ] = 400
    overlap: Annotated[
        int,
        Meta(ge=0, le=4_000, extra={"unit": "tokens of 4 characters"}),
        "How much of a chunk, in whole lines, the next one repeats, so that an answer on a border "
        "is whole in one of them. Smaller than tokens.",
    ] = 80
    entries: Annotated[
        bool,
        "Cut MEMORY.md and USER.md at their headings and bullets, so that each entry is found, "
        "cited and annotated on its own. false: as any other file.",
    ] = True


class WorkspaceSettings(Struct, frozen=True, kw_only=True):
    """Where the memory files are."""

    path: Annotated[str | None, "Folder of MEMORY.md and memory/. Unset: no memory files."] = None
    extra_paths: Annotated[
        tuple[str, ...],
        Meta(max_length=1_000),
        "More Markdown files or folders to index; after a folder a pattern may stand, as in "
        "~/notes/**/*.md. Symbolic links are not followed.",
    ] = ()
    transcripts: Annotated[
        tuple[str, ...],
        Meta(max_length=1_000),
        "Transcripts of other programs to follow where they are: claude-code, openclaw, or a path. "
        "Sub-agents, cron runs and recalled memory are left out.",
    ] = ()


class PrivacySettings(Struct, frozen=True, kw_only=True):
    """What is taken out of a text before anything is stored."""

    redact: Annotated[
        bool, "Replace keys, passwords and <private> blocks by [redacted:kind:hash] before storage."
    ] = True
    patterns: Annotated[
        tuple[str, ...],
        Meta(max_length=200),
        "More regular expressions (Python syntax) of secrets; of one with a group the first group "
        "is taken out. One that may take for ever, as (a+)+ does, is refused.",
    ] = ()
    kinds: Annotated[
        tuple[Literal["cards", "iban", "national-ids"], ...],
        Meta(max_length=3),
        "Personal numbers that are taken out too. cards: payment cards. iban: bank accounts. "
        "national-ids: of the US, the UK, Germany, France, Spain, Italy, the Netherlands, Poland "
        "and Brazil. Off by default: few agents meet them, and some ids resemble them.",
    ] = ()
    exclude_projects: Annotated[
        tuple[str, ...],
        Meta(max_length=1_000),
        "Projects of which nothing is captured: patterns such as ~/clients/* for a folder and all "
        "below it, or secret-* for the name of a project. * matches any characters.",
    ] = ()


class CaptureSettings(Struct, frozen=True, kw_only=True):
    """What is left out of what programs do, before anything of it is stored."""

    skip_tools: Annotated[
        tuple[str, ...],
        Meta(max_length=1_000),
        "Tools whose calls and results are left out: names or patterns such as mcp__bank__*.",
    ] = ()
    skip_paths: Annotated[
        tuple[str, ...],
        Meta(max_length=1_000),
        "Files: calls of tools that name one of them are left out, with their results. Patterns "
        "such as *.pem, ~/private/* or */secrets/*.",
    ] = ()


LanguageUse = Literal["compaction", "flush", "observations", "episodes", "facts", "respond"]
"""What a language model may be asked for."""


class LanguageBudgets(Struct, frozen=True, kw_only=True):
    """Tokens read and written for one purpose in a day (UTC) at most; 0: only daily_tokens."""

    compaction: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000_000, extra={"unit": "tokens"}),
        "For summaries of what leaves the window. 0: as much as daily_tokens allows.",
    ] = 0
    flush: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000_000, extra={"unit": "tokens"}),
        "For notes of what must last. 0: as much as daily_tokens allows.",
    ] = 0
    observations: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000_000, extra={"unit": "tokens"}),
        "For titles and summaries of what the agent did. An observation takes some 300 tokens, so "
        "that a day of 1,000 fits; the rest is left to the rules.",
    ] = 300_000
    episodes: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000_000, extra={"unit": "tokens"}),
        "For summaries of sessions that end. The longest takes 200,000 tokens; what does not fit "
        "is written by rule.",
    ] = 400_000
    facts: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000_000, extra={"unit": "tokens"}),
        "For facts in new messages, beside those that the rules find. A message takes some 150 "
        "tokens, so that a day of 2,000 fits; the rest is left to the rules.",
    ] = 300_000
    respond: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000_000, extra={"unit": "tokens"}),
        "For answers to messages. 0: as much as daily_tokens allows.",
    ] = 0


class LanguageSettings(Struct, frozen=True, kw_only=True):
    """The model that writes summaries; without one they are made by rule."""

    provider: Annotated[
        str,
        Meta(min_length=1, max_length=200),
        "none: no model, summaries are made by rule and nothing leaves the machine. Otherwise "
        "openai, anthropic or claude-cli, with a model after a colon if it is not to be the "
        "default one, such as openai:gpt-5-mini.",
    ] = "none"
    uses: Annotated[
        tuple[LanguageUse, ...],
        "What the model is asked for; everything else is done by rule. compaction: summaries of "
        "what leaves the window; flush: notes of what must last; respond: answers to messages. "
        "Added by hand, for they cost by themselves: observations, episodes, facts (`recollect "
        "models uses` tells how much).",
    ] = ("compaction", "flush")
    base_url: Annotated[
        str | None,
        "Address of openai or anthropic. Unset: the provider's own. With it, openai speaks to "
        "anything compatible: Ollama, LM Studio, vLLM, a llama.cpp server.",
    ] = None
    api_key: Annotated[
        str | None,
        Meta(extra={"secret": True}),
        "Key of the provider. Unset: OPENAI_API_KEY or ANTHROPIC_API_KEY of the environment.",
    ] = None
    headers: Annotated[
        tuple[str, ...],
        Meta(max_length=50, extra={"secret": True}),
        "More headers of every request, such as `X-Team: agents`.",
    ] = ()
    max_output_tokens: Annotated[
        int,
        Meta(ge=16, le=1_000_000, extra={"unit": "tokens"}),
        "Longest answer, where a request does not say it. What a model thinks before it writes is "
        "counted too.",
    ] = 8_000
    timeout_s: Annotated[
        float,
        Meta(ge=0.1, le=3_600.0, extra={"unit": "s"}),
        "Longest an answer may take, tries and waits included; then it is made by rule.",
    ] = 60.0
    daily_tokens: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000_000, extra={"unit": "tokens"}),
        "Tokens read and written in one day (UTC) at most; a model on this machine or network has "
        "no limit. 0: no limit.",
    ] = 2_000_000
    input_price: Annotated[
        float | None,
        Meta(extra={"unit": "USD for a million tokens"}),
        "Price of what is read. Unset: the list price where it is known.",
    ] = None
    output_price: Annotated[
        float | None,
        Meta(extra={"unit": "USD for a million tokens"}),
        "Price of what is written. Unset: the list price where it is known.",
    ] = None
    claude_command: Annotated[
        str,
        Meta(min_length=1, max_length=1_000),
        "Program of the provider claude-cli: a name on the PATH, or a path.",
    ] = "claude"
    claude_max_usd: Annotated[
        float,
        Meta(ge=0.01, le=1_000.0, extra={"unit": "USD"}),
        "What one call of claude-cli may cost at most.",
    ] = 0.5
    budgets: LanguageBudgets = field(default_factory=LanguageBudgets)


class TranscriptDeltaSettings(Struct, frozen=True, kw_only=True):
    """When a transcript of another program that grows is read again at once."""

    delta_bytes: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000, extra={"unit": "bytes"}),
        "New bytes after which it is read without waiting for it to rest.",
    ] = 100_000
    delta_messages: Annotated[
        int,
        Meta(ge=0, le=1_000_000, extra={"unit": "lines"}),
        "New lines after which it is read without waiting for it to rest.",
    ] = 50
    debounce_ms: Annotated[
        int,
        Meta(ge=0, le=600_000, extra={"unit": "ms"}),
        "A transcript that rested for so long is read, however little is new.",
    ] = 5_000


class SyncSettings(Struct, frozen=True, kw_only=True):
    """What starts a sync in the background."""

    on_session_start: Annotated[bool, "A session that is opened."] = True
    on_search: Annotated[
        bool,
        "A search. It always reads new messages and files first; this reads followed "
        "transcripts before the answer too, and makes missing vectors in the background.",
    ] = True
    watch: Annotated[
        bool, "A memory file or followed transcript that changes, while a program runs."
    ] = True
    watch_debounce_ms: Annotated[
        int,
        Meta(ge=0, le=600_000, extra={"unit": "ms"}),
        "Changes of files within so long are taken together.",
    ] = 1_500
    poll_s: Annotated[
        float,
        Meta(ge=0.1, le=3_600.0, extra={"unit": "s"}),
        "How often to look where the system has no handles left for watching.",
    ] = 5.0
    interval_minutes: Annotated[
        float,
        Meta(ge=0.0, le=100_000.0, extra={"unit": "minutes"}),
        "A sync every so often; 0: none.",
    ] = 0.0
    transcripts: TranscriptDeltaSettings = field(default_factory=TranscriptDeltaSettings)


class QmdSettings(Struct, frozen=True, kw_only=True):
    """How qmd is run, where search.backend chooses it."""

    command: Annotated[
        str, Meta(min_length=1, max_length=1_000), "Name or path of the program."
    ] = "qmd"
    mode: Annotated[
        Literal["search", "vsearch", "query"],
        "search: words; vsearch: vectors; query: both with a model that reranks. The last two "
        "download models and take seconds.",
    ] = "search"
    timeout_ms: Annotated[
        int,
        Meta(ge=10, le=600_000, extra={"unit": "ms"}),
        "Longest a search may take before the builtin index answers.",
    ] = 4_000
    command_timeout_ms: Annotated[
        int,
        Meta(ge=10, le=3_600_000, extra={"unit": "ms"}),
        "Longest any other command may take (update: 4 times, embed: 20 times).",
    ] = 30_000
    update_interval_minutes: Annotated[
        float,
        Meta(ge=0.0, le=100_000.0, extra={"unit": "minutes"}),
        "How old its view of the files may become; 0: only a sync updates it.",
    ] = 5.0
    embed_interval_minutes: Annotated[
        float,
        Meta(ge=0.0, le=100_000.0, extra={"unit": "minutes"}),
        "How often it makes vectors, in the modes that use them; 0: only a sync.",
    ] = 60.0
    retry_s: Annotated[
        float,
        Meta(ge=0.0, le=86_400.0, extra={"unit": "s"}),
        "How long a failure is remembered before it is tried again.",
    ] = 60.0


class ObservationSettings(Struct, frozen=True, kw_only=True):
    """What the agent did and saw."""

    shared: Annotated[
        bool,
        "Guests and groups hear titles and summaries of what the agent did in their chats. Input "
        "and output are the owner's alone in any case.",
    ] = False


class RecordLimits(Struct, frozen=True, kw_only=True):
    """How much is kept of a kind of records; the newest stay."""

    days: Annotated[
        int,
        Meta(ge=0, le=36_500, extra={"unit": "days"}),
        "Older ones go. 0: none goes by its age.",
    ] = 0
    records: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000, extra={"unit": "records"}),
        "The newest of so many stay. 0: any number.",
    ] = 0
    bytes: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000_000_000, extra={"unit": "bytes"}),
        "The newest that fit stay. 0: any size.",
    ] = 0


class RetentionLimits(Struct, frozen=True, kw_only=True):
    """What is removed beside sessions, by `recollect prune` and daily by a program that stays."""

    observations: RecordLimits = field(default_factory=RecordLimits)
    blobs: RecordLimits = field(default_factory=lambda: RecordLimits(bytes=5_000_000_000))
    facts: RecordLimits = field(default_factory=RecordLimits)
    injections: RecordLimits = field(default_factory=lambda: RecordLimits(records=100_000))
    events: RecordLimits = field(default_factory=lambda: RecordLimits(records=1_000_000))
    audit: RecordLimits = field(default_factory=lambda: RecordLimits(records=100_000))
    checkpoints: RecordLimits = field(
        default_factory=lambda: RecordLimits(days=30, bytes=1_000_000_000)
    )


class InjectionSettings(Struct, frozen=True, kw_only=True):
    """What is put into prompts by itself."""

    enabled: Annotated[
        bool,
        "Put a block into prompts by itself. false: it is empty unless a question asks for it.",
    ] = True
    types: Annotated[
        tuple[str, ...], "Types of observations that a block has lines of, whatever the question."
    ] = ("decision", "bugfix", "architecture")
    layout: Annotated[
        Literal["sections", "list"],
        "sections: what is known and was left. list: observations only, as OpenClaw-Mem has it.",
    ] = "sections"
    budget_tokens: Annotated[
        int,
        Meta(ge=1, le=1_000_000, extra={"unit": "tokens"}),
        "What a block costs at most, as in OpenClaw-Mem; Claude Code and Codex take 9,500 letters.",
    ] = 4_000
    section_lines: Annotated[
        int,
        Meta(ge=1, le=1_000, extra={"unit": "lines"}),
        "Observations in a section of `recollect memory sync-section` at most, the most important "
        "first.",
    ] = 20
    section_tokens: Annotated[
        int,
        Meta(ge=20, le=100_000, extra={"unit": "tokens"}),
        "What such a section costs each prompt of an agent that reads the file: 20 lines of 40 "
        "tokens, and what is around them.",
    ] = 1_000
    prompt: Annotated[
        bool,
        "Add what answers it to each prompt. Off: an agent that wants more can search, and each "
        "line costs the prompt.",
    ] = False
    prompt_tokens: Annotated[
        int,
        Meta(ge=1, le=100_000, extra={"unit": "tokens"}),
        "What is added to one prompt at most.",
    ] = 600
    prompt_floor: Annotated[
        float,
        Meta(ge=0.0, le=1.0, extra={"unit": "score"}),
        "Only what scores at least so much is added to a prompt. Chosen on development sets: "
        "docs/experiments.md, prompts.",
    ] = 0.35


class Settings(Struct, frozen=True, kw_only=True):
    """The whole tree. Only the composition root sees it."""

    apart: Annotated[
        bool, "Whether your agents hear nothing of each other; agents.NAME.apart says it of one."
    ] = False
    store: StoreSettings = field(default_factory=StoreSettings)
    chunking: ChunkingSettings = field(default_factory=ChunkingSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    language: LanguageSettings = field(default_factory=LanguageSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    sync: SyncSettings = field(default_factory=SyncSettings)
    qmd: QmdSettings = field(default_factory=QmdSettings)
    workspace: WorkspaceSettings = field(default_factory=WorkspaceSettings)
    privacy: PrivacySettings = field(default_factory=PrivacySettings)
    capture: CaptureSettings = field(default_factory=CaptureSettings)
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)
    observations: ObservationSettings = field(default_factory=ObservationSettings)
    knowledge: KnowledgeSettings = field(default_factory=KnowledgeSettings)
    retention: RetentionLimits = field(default_factory=RetentionLimits)
    context: InjectionSettings = field(default_factory=InjectionSettings)
    server: ServerSettings = field(default_factory=ServerSettings)
    worker: WorkerSettings = field(default_factory=WorkerSettings)
    hooks: HookSettings = field(default_factory=HookSettings)
    auto_responder: ResponderSettings = field(default_factory=ResponderSettings)
    channels: ChannelSettings = field(default_factory=ChannelSettings)
