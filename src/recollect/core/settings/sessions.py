"""The settings of sessions: how long one lasts, which part of it is in the view, what is kept."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field


class FreshnessSettings(Struct, frozen=True, kw_only=True):
    """When a key gets a new session. What was said under a key before it is kept."""

    mode: Annotated[
        Literal["idle", "daily", "both", "none"],
        "idle: after idle_minutes without a message. daily: at daily_hour. both: at whichever "
        "comes first. none: only when asked to reset, as OpenClaw does now.",
    ] = "idle"
    idle_minutes: Annotated[
        int,
        Meta(ge=0, le=5_256_000, extra={"unit": "minutes"}),
        "A session without messages for so long is no longer fresh. 240 is OpenClaudeCode's value. "
        "0: always fresh.",
    ] = 240
    daily_hour: Annotated[
        int,
        Meta(ge=0, le=23, extra={"unit": "hour of the day"}),
        "When a day begins, in sessions.time_zone; OpenClaw has 4.",
    ] = 4
    by_channel: Annotated[
        tuple[str, ...],
        Meta(max_length=200),
        "Other rules for a channel: telegram=idle:60, email=none, slack=daily:6. They win over "
        "by_type.",
    ] = ()
    by_type: Annotated[
        tuple[str, ...],
        Meta(max_length=20),
        "Other rules for direct, group or thread, in the same spelling.",
    ] = ()


class ContextSettings(Struct, frozen=True, kw_only=True):
    """How much of a session is in the prompt, and when older messages become a summary."""

    window_tokens: Annotated[
        int,
        Meta(ge=1_000, le=100_000_000, extra={"unit": "tokens"}),
        "What the model of the agent can read at once.",
    ] = 128_000
    compact_at: Annotated[
        float,
        Meta(ge=0.05, le=1.0, extra={"unit": "share of the window"}),
        "A view that is fuller is compacted.",
    ] = 0.8
    reserve_tokens: Annotated[
        int,
        Meta(ge=0, le=1_000_000, extra={"unit": "tokens"}),
        "Compact at the window less this, as OpenClaw does (it has 20,000, at most a quarter of "
        "the window), instead of at compact_at. 0: at compact_at.",
    ] = 0
    keep_messages: Annotated[
        int,
        Meta(ge=0, le=100_000, extra={"unit": "messages"}),
        "The newest messages stay verbatim; a tool call stays with its result.",
    ] = 20
    summary_tokens: Annotated[
        int,
        Meta(ge=50, le=100_000, extra={"unit": "tokens"}),
        "Longest summary of what a view leaves out.",
    ] = 2_000
    flush: Annotated[
        bool,
        "Before a compaction, write what must last into memory/YYYY-MM-DD.md of the workspace.",
    ] = True
    flush_soft_tokens: Annotated[
        int,
        Meta(ge=0, le=1_000_000, extra={"unit": "tokens"}),
        "The flush comes so long before the compaction; OpenClaw's value.",
    ] = 4_000


class GroupSettings(Struct, frozen=True, kw_only=True):
    """Conversations with more than one person."""

    history_limit: Annotated[
        int,
        Meta(ge=0, le=200, extra={"unit": "messages"}),
        "Messages since the agent's last reply that are kept for the next one.",
    ] = 50
    history_conversations: Annotated[
        int,
        Meta(ge=1, le=100_000, extra={"unit": "conversations"}),
        "Conversations with such messages; the one not used for longest goes.",
    ] = 1_000
    tools: Annotated[tuple[str, ...], Meta(max_length=500), "What an agent may use in a group."] = (
        "web_search",
        "web_browse",
        "code_execute_sandboxed",
        "weather",
        "calculator",
    )
    mentions: Annotated[
        tuple[str, ...],
        Meta(max_length=200),
        "Names that call the agent in a group, beside its own and a reply to it: @tea, tea.",
    ] = ()


class RetentionSettings(Struct, frozen=True, kw_only=True):
    """What is removed for good, by `recollect prune` and daily by a program that stays."""

    max_sessions: Annotated[
        int,
        Meta(ge=0, le=100_000_000, extra={"unit": "sessions"}),
        "The ones used last stay. 0: all. The agent plan has 200.",
    ] = 0
    max_messages: Annotated[
        int,
        Meta(ge=0, le=100_000_000, extra={"unit": "messages a session"}),
        "The newest stay. 0: all. The agent plan has 5,000.",
    ] = 0
    days: Annotated[
        int,
        Meta(ge=0, le=36_500, extra={"unit": "days"}),
        "Sessions not used for longer go. 0: none. The agent plan has 30.",
    ] = 0
    episode_tokens: Annotated[
        int,
        Meta(ge=0, le=100_000, extra={"unit": "tokens"}),
        "Longest summary of a session that ends, and of what goes: what people began and ended "
        "with, decided and want kept, what is open, and the most important of the rest, up to a "
        "quarter. 0: nothing is kept.",
    ] = 300


class SessionSettings(Struct, frozen=True, kw_only=True):
    """The life of a session."""

    mirror: Annotated[
        bool, "Keep a readable transcripts/<session id>.jsonl beside the database."
    ] = True
    direct_scope: Annotated[
        Literal["main", "per-peer", "per-channel-peer", "per-account-channel-peer"],
        "Which direct chats share a session key, where a program gives the parts of one: all of an "
        "agent, those with one person, on one channel, or on one account.",
    ] = "per-account-channel-peer"
    identity_links: Annotated[
        tuple[str, ...],
        Meta(max_length=10_000),
        "Accounts of one person: ann=telegram:123, ann=discord:9, ann=irc:libera:ann, or bob=77 on "
        "any channel. They hear of each other. A change rebuilds the index.",
    ] = ()
    owner: Annotated[
        tuple[str, ...],
        Meta(max_length=1_000),
        "Your own accounts, channel and user id: telegram:42, slack:U7; those that identity_links "
        "join to them are yours too. A name without a colon is a user without a channel. Nothing "
        "of anybody else's chats is written into the notes of the workspace, and they see no "
        "memory files. Where ids count within a network or workspace, name it: slack:acme:U7. "
        "Unset: yours is what has no channel and no user, and scheduled jobs. A change rebuilds "
        "the index.",
    ] = ()
    plain_keys: Annotated[
        Literal["person", "owner"],
        "Whose a session is that `open`, `create` or HTTP begins under a plain name, such as "
        "alice. person: of a person of that name, with an audience of its own, unless owner=True. "
        "owner: yours; a home that had such sessions before keeps that.",
    ] = "person"
    guests_read: Annotated[
        tuple[str, ...],
        Meta(max_length=1_000),
        "Memory files that guests may find and read in their direct chats: memory/shared/*.md. "
        "Groups see none in any case.",
    ] = ()
    time_zone: Annotated[
        str | None,
        "Time zone of the user, such as Europe/Berlin, for days and the names of notes. Unset: the "
        "machine's.",
    ] = None
    lease_s: Annotated[
        float,
        Meta(ge=0.1, le=86_400.0, extra={"unit": "s"}),
        "How long a program that resumed a session keeps others out without a sign of life.",
    ] = 60.0
    idle_archives: Annotated[
        bool,
        "A session without messages for fresh.idle_minutes gets its summary; with this it is "
        "archived, too.",
    ] = False
    fresh: FreshnessSettings = field(default_factory=FreshnessSettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    groups: GroupSettings = field(default_factory=GroupSettings)
    retention: RetentionSettings = field(default_factory=RetentionSettings)
