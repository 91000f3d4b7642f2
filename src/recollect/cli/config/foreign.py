"""Settings of other programs, written into config.yaml where that says nothing.

The ``settings.json`` of OpenClaw-Mem has seven, after seed 001; seed 004 names ten; the
``config.yaml`` of OpenClaudeCode has eight, after seed 000. What has no place here is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from recollect.core.clock import MINUTE_MS
from recollect.core.decoding import convert_value
from recollect.core.errors import ConfigError, InvalidInput, NotFound
from recollect.core.settings import load_settings
from recollect.core.settings.config_file import Value, first_config, with_setting
from recollect.core.settings.sources import FILE_NAME, read_file
from recollect.store.failures import os_errors

MAX_BYTES = 1_000_000
"""No file of a few settings is larger."""
YAML = {".yaml", ".yml"}
Outcome = Literal["set", "kept", "same", "not taken"]


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one setting.

    Attributes:
        theirs: Its name there, ``contextInjection.maxTokens``.
        value: What it says; None of what is not taken.
        key: Our setting; None where there is none.
        outcome: ``set``: config.yaml says it now. ``kept``: it says another value, which stays.
            ``same``: that is in force already. ``not taken``: see ``why``.
        why: What to do instead.
    """

    theirs: str
    value: Any
    key: str | None
    outcome: Outcome
    why: str = ""


class TakenSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of another program, and what became of each."""

    file: str
    dry_run: bool
    settings: list[Taken]


class _Rule(msgspec.Struct, frozen=True):
    """How one setting of theirs becomes one of ours.

    Attributes:
        key: Ours.
        kind: What it must be there.
        ours: Returns our value for theirs.
    """

    key: str
    kind: type
    ours: Callable[[Any], Value] = lambda value: value


RULES: Mapping[str, _Rule] = {
    "port": _Rule("server.port", int),
    # Semantic search there is Chroma; here the embedder is what switches it off.
    "vectorDb.enabled": _Rule("embedding.provider", bool, lambda on: "auto" if on else "none"),
    "contextInjection.enabled": _Rule("context.enabled", bool),
    "contextInjection.maxTokens": _Rule("context.budget_tokens", int),
    "contextInjection.includeTypes": _Rule("context.types", list),
    "EnableFileCheckpointing": _Rule("checkpoints.enabled", bool),
    "MemoryMaxSessions": _Rule("sessions.retention.max_sessions", int),
    "MemoryMaxMessagesPerSession": _Rule("sessions.retention.max_messages", int),
    "MemoryRetentionDays": _Rule("sessions.retention.days", int),
    "gateway.autoResponder.enabled": _Rule("auto_responder.enabled", bool),
    "gateway.autoResponder.maxConcurrent": _Rule("auto_responder.max_concurrent", int),
    "gateway.autoResponder.debounceMs": _Rule("auto_responder.debounce_ms", int),
    "gateway.autoResponder.maxHistoryMessages": _Rule("auto_responder.max_history_messages", int),
    # Sessions have the same limit wherever messages come from, in whole minutes.
    "gateway.autoResponder.sessionMaxAgeMs": _Rule(
        "sessions.fresh.idle_minutes", int, lambda age: -(-age // MINUTE_MS)
    ),
    "gateway.autoResponder.memoryIndexIntervalMessages": _Rule(
        "auto_responder.memory_index_interval_messages", int
    ),
    "gateway.autoResponder.memorySearchMaxResults": _Rule(
        "auto_responder.memory_search_max_results", int
    ),
    "gateway.autoResponder.memoryFtsEnabled": _Rule("auto_responder.memory_fts_enabled", bool),
}
INSTEAD = {
    "dataDir": "the home is a folder of its own: choose it with --home or RECOLLECT_HOME",
    "database.path": "records lie in the home: choose it with --home or RECOLLECT_HOME",
    "vectorDb.path": "vectors lie in index.db, and are made again from the records",
    "MemoryEnabled": "a program that opens the memory uses it; `recollect pause` stops capture",
    "MemoryDbPath": "records lie in the home: choose it with --home or RECOLLECT_HOME",
    "SessionId": "of one run: sessions.start(session_id=…), or sessions start --session-id",
    "ContinueConversation": "of one run: sessions.start(continue_latest=True), or --continue",
    "ResumeSessionId": "of one run: sessions.start(resume=…), or --resume",
    "ForkSession": "of one run: sessions.start(fork=True), or --fork",
}
"""Settings that do not exist here, and those that do the same."""


def import_settings(path: Path, home: Path) -> tuple[str, list[Taken]]:
    """Return the text of config.yaml with the settings of a file, and the outcome of each.

    Args:
        path: ``settings.json`` of OpenClaw-Mem, one with those of seed 004, or the
            ``config.yaml`` of OpenClaudeCode.
        home: Whose config.yaml; what it says wins.

    Raises:
        NotFound: the file does not exist.
        InvalidInput: it holds neither a JSON object nor a YAML mapping.
        ConfigError: config.yaml cannot be understood, or changed.
    """
    config = home / FILE_NAME
    text = config.read_text("utf-8-sig") if config.exists() else ""
    existing = {key: entry.value for key, entry in read_file(config).items()}
    defaults = {row.key: row.value for row in load_settings(home, environ={}).explain()}
    text = text or first_config()
    outcomes: list[Taken] = []
    for name, value in _flat(_read(path)):
        one = _outcome(name, value, existing, defaults)
        if one.outcome == "set" and one.key is not None:
            text = with_setting(text, one.key, RULES[name].ours(value))
        outcomes.append(one)
    return text, outcomes


def _outcome(
    name: str, value: Any, existing: Mapping[str, object], defaults: Mapping[str, object]
) -> Taken:
    rule = RULES.get(name)
    if rule is None:
        why = INSTEAD.get(name, "recollect does not know it")
        return Taken(theirs=name, value=None, key=None, outcome="not taken", why=why)
    if type(value) is not rule.kind:
        return Taken(theirs=name, value=None, key=rule.key, outcome="not taken", why=_odd(rule.key))
    ours = rule.ours(value)
    try:
        load_settings(Path(), {rule.key: ours}, environ={})
    except ConfigError as error:
        why = error.message.partition(" (")[0]
        return Taken(theirs=name, value=None, key=rule.key, outcome="not taken", why=why)
    outcome: Outcome = "set"
    if rule.key in existing:
        outcome = "same" if _same(existing[rule.key], ours) else "kept"
    elif _same(defaults.get(rule.key), ours):
        outcome = "same"
    return Taken(theirs=name, value=ours, key=rule.key, outcome=outcome)


def _odd(key: str) -> str:
    return f"its value has another type than {key} takes"


def _same(one: object, other: object) -> bool:
    return (list(one) if isinstance(one, tuple) else one) == other


def _read(path: Path) -> dict[str, Any]:
    with os_errors(path):
        if not path.is_file():
            raise NotFound(
                f"{path} does not exist",
                hint="name the settings.json: recollect config import FILE",
                path=str(path),
            )
        content = path.read_bytes() if path.stat().st_size <= MAX_BYTES else b""
    try:
        tree = yaml.safe_load(content) if path.suffix in YAML else msgspec.json.decode(content)
        return convert_value(tree, dict[str, Any])
    except (msgspec.MsgspecError, yaml.YAMLError, RecursionError, ValueError) as error:
        raise InvalidInput(
            "the file must hold settings, a JSON object or in .yaml a mapping",
            hint="name the settings.json of OpenClaw-Mem, one with those of seed 004, or the "
            "config.yaml of OpenClaudeCode",
            path=str(path),
        ) from error


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
