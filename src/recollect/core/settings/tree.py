"""The tree of settings: every option with its unit, range, default and reason.

An option is `Annotated[type, limits, description]`: what `recollect config` and the settings page
show is read off it. Functions take the section that they need, never the tree.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from recollect.core.settings.embedding import EmbeddingSettings
from recollect.core.settings.language import LanguageSettings
from recollect.core.settings.qmd import QmdSettings
from recollect.core.settings.search import SearchSettings
from recollect.core.settings.sessions import SessionSettings
from recollect.core.settings.sync import SyncSettings


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
        "fewer writes; smaller: a shorter log to read.",
    ] = 1_000
    cache_kib: Annotated[
        int,
        Meta(ge=256, le=16_777_216, extra={"unit": "KiB"}),
        "Page cache of each database connection; it is a limit, not a reservation.",
    ] = 16_384


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
        "More regular expressions (Python syntax) of secrets. They run on every text: keep them "
        "linear.",
    ] = ()


class Settings(Struct, frozen=True, kw_only=True):
    """The whole tree. Only the composition root sees it."""

    store: StoreSettings = field(default_factory=StoreSettings)
    chunking: ChunkingSettings = field(default_factory=ChunkingSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    language: LanguageSettings = field(default_factory=LanguageSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    sync: SyncSettings = field(default_factory=SyncSettings)
    qmd: QmdSettings = field(default_factory=QmdSettings)
    workspace: WorkspaceSettings = field(default_factory=WorkspaceSettings)
    privacy: PrivacySettings = field(default_factory=PrivacySettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)
