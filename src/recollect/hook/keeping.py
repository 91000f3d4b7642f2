"""Keeps what a hook could not deliver: redacted before it reaches the disk, and by the same rules.

It runs in a process of its own behind the hook, which has ended. What the owner excludes, or
paused, is not kept; neither is what cannot be redacted.
"""

from __future__ import annotations

import json
import secrets
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec

from recollect.core.clock import IdSource, SystemClock
from recollect.core.errors import Denied, RecollectError, StoreError
from recollect.core.scope import Scope
from recollect.core.settings import Settings, load_settings
from recollect.hook.spool import Spool, SpooledEvent
from recollect.store.engine import Database
from recollect.store.sqlite.database import open_records
from recollect.store.sqlite.home import RECORDS_FILE
from recollect.text.secret_redactor import SecretRedactor

START_S = 30.0
"""How long a hook's own process waits for a worker to answer; the hook itself waits less."""
_SALT_BYTES = 32


def take_over(home: str, client: str, event: str, at_ns: int, payload: bytes) -> None:
    """Keep an event that a hook could not deliver, and start the worker if so configured.

    Arguments as for `keep`; where the home is not there, nothing is done.

    Raises:
        StoreError: it cannot be written.
    """
    folder = Path(home)
    if folder.is_dir():
        with suppress(Denied):
            keep(folder, client, event, at_ns, payload)
            with suppress(RecollectError):
                _start(folder, load_settings(folder).settings)


def start_worker(home: str, at_ns: int, payload: bytes) -> None:
    """Start the worker for an event that waits for it, unless the event is not captured.

    Returns when it answers, or will not; arguments as for `keep`.

    Raises:
        RecollectError: the settings or the records cannot be read.
        ValueError: the payload is not JSON.
        TypeError: it is not an object.
    """
    folder, value = Path(home), _parsed(payload)
    settings = load_settings(folder).settings
    if settings.worker.autostart and (folder / RECORDS_FILE).exists():
        with closing(open_records(folder, settings.store, SystemClock())) as records:
            _check_captured(records, settings, value, at_ns // 1_000_000)
    _start(folder, settings, START_S)


def _start(home: Path, settings: Settings, patience_s: float = 0.0) -> None:
    if settings.worker.autostart:
        from recollect.server.worker.daemon import autostart

        autostart(home, patience_s)


def keep(home: Path, client: str, event: str, at_ns: int, payload: bytes) -> Path | None:
    """Spool an event without its secrets; return its file, None if it is lost, which is counted.

    Args:
        home: Of the memory.
        client: The agent program.
        event: What it calls the event.
        at_ns: When it happened, ns since 1970 UTC.
        payload: What it said: bytes that should be a JSON object.

    Raises:
        Denied: it is not captured; the fact ``reason`` says why.
        StoreError: it cannot be written.
    """
    spool, at = Spool(home), at_ns // 1_000_000
    try:
        settings = load_settings(home).settings
        value = _parsed(payload)
        sound = _captured(home, settings, client, value, at)
    except Denied:
        raise
    except (RecollectError, TypeError, ValueError, RecursionError):
        # It may hold half a secret, which no rule recognizes; or the exclusions are not known.
        spool.lose("unredacted")
        return None
    spooled = SpooledEvent(client=client, event=event, at=at, payload=sound)
    return spool.add(spooled, at_ns, settings.hooks)


def _parsed(payload: bytes) -> dict[str, Any]:
    value = json.loads(payload.decode("utf-8", "replace"))
    if not isinstance(value, dict):
        raise TypeError("the payload must be a JSON object")
    return value


def _captured(
    home: Path, settings: Settings, client: str, value: dict[str, Any], at: int
) -> msgspec.Raw:
    """Return an event without its secrets, and those that were recognised in its session.

    Raises:
        Denied: what happened is not captured.
        InvalidInput: a pattern of the settings cannot be used, or it is nested too deeply.
        StoreError: the records cannot be read.
    """
    if not (home / RECORDS_FILE).exists():
        if not settings.privacy.redact:
            return _encoded(value)
        redactor = SecretRedactor.chosen(secrets.token_bytes(_SALT_BYTES), settings.privacy)
        return _encoded(redactor.value(value))
    from recollect.store.meta import REDACTION_SALT, persisted_random
    from recollect.store.recognised import session_name

    with closing(open_records(home, settings.store, SystemClock())) as records:
        _check_captured(records, settings, value, at)
        if not settings.privacy.redact:
            return _encoded(value)
        salt = bytes.fromhex(persisted_random(records, REDACTION_SALT))
        said_in, tenant = _text(value.get("session_id")) or "", Scope().tenant
        name = records.read(lambda tx: session_name(tx, tenant, client, said_in))
        redactor = SecretRedactor.chosen(salt, settings.privacy, records)
        return _encoded(redactor.session(name, lambda it: it.value(value)))


def _check_captured(records: Database, settings: Settings, value: dict[str, Any], at: int) -> None:
    """Refuse what the owner excludes; the programs name folder, tool and input alike."""
    from recollect.observations.controls import CaptureControls
    from recollect.observations.projects import Projects

    clock = SystemClock()
    projects = Projects(records, clock, IdSource(clock), Scope())
    controls = CaptureControls(projects, settings.privacy.exclude_projects, settings.capture)
    folder, tool = (_text(value.get(name)) for name in ("cwd", "tool_name"))
    refusal = controls.refusal(folder, tool, value.get("tool_input"), at)
    if refusal is not None:
        with suppress(StoreError):
            controls.count({refusal.reason: int(tool is not None)})
        raise Denied(f"not captured: {refusal.why}", reason=refusal.reason)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _encoded(value: object) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
