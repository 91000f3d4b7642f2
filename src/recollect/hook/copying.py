"""Keeps a file that a tool is about to change, or changed, where no worker answers its hook.

It runs in the hook, before the tool does, so it imports only the standard library and reads nothing
but the rules that the owner's side wrote, see `recollect.checkpoints.capture.rules`. A copy is a
line of JSON, with path and mode, and then the bytes; `recollect.checkpoints.capture.incoming`
adopts it. In doubt it keeps nothing: the file is then reported as not captured.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator, Mapping
from typing import Any

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OFF = ".recollect-off"
_MOST_FILES = 100
_MOST_ID = 100


class NotKept(Exception):
    """A file that is not copied; the text says why."""


def copy_files(home: str, client: str, stage: str, payload: bytes) -> bool:
    """Copy the files that a call names; return whether there is a copy of each.

    Args:
        home: The folder of the memory.
        client: The agent program.
        stage: ``before`` its tool runs, or ``after`` it.
        payload: The event, JSON.

    Raises:
        OSError: a file cannot be read, or a copy cannot be written.
        ValueError: payload or rules are not JSON.
        NotKept: a rule excludes it.
    """
    event, rules = json.loads(payload), _rules(home)
    paths = list(_paths(event, rules["tools"].get(client, {})))
    if not paths or not _is_on(rules):
        return False
    use_id, folder = event["tool_use_id"], str(event.get("cwd") or "")
    name = use_id.encode().hex()
    if not 0 < len(name) <= 2 * _MOST_ID or len(paths) > _MOST_FILES:
        return False
    target = os.path.join(home, "checkpoints", "incoming")
    os.makedirs(target, 0o700, exist_ok=True)
    _check_kept(os.path.join(folder, "."), rules)
    copies: dict[str, tuple[int | None, bytes]] = {}
    for path in paths:
        copies.update(_copies(os.path.join(folder, os.path.expanduser(path)), rules))
    for number, (path, (mode, content)) in enumerate(sorted(copies.items())):
        _write(target, f"{name}.{stage}.{number}", path, mode, content)
    return True


def _rules(home: str) -> dict[str, Any]:
    with open(os.open(os.path.join(home, "checkpoints", "capture.json"), _READ), "rb") as file:
        rules: dict[str, Any] = json.loads(file.read())
    return rules


def _is_on(rules: Mapping[str, Any]) -> bool:
    now = time.time_ns() // 1_000_000
    return not any(since <= now and (to is None or now < to) for since, to in rules["paused"])


def _paths(event: Mapping[str, Any], tools: Mapping[str, list[str]]) -> Iterator[str]:
    fields = event.get("tool_input") or {}
    value = next((fields[f] for f in tools.get(event["tool_name"], ()) if fields.get(f)), ())
    for each in [value] if isinstance(value, str) else value:
        yield each.removeprefix("file://")


def _check_kept(path: str, rules: Mapping[str, Any]) -> None:
    """Refuse a path that a rule excludes, by its name or by a file beside it or above."""
    if rules["excluded"] is not None and re.match(rules["excluded"], path):
        raise NotKept("it is excluded")
    while path != (parent := os.path.dirname(path)):
        path = parent
        if os.path.lexists(os.path.join(path, _OFF)):
            raise NotKept(f"{_OFF} is there")


def _copies(path: str, rules: Mapping[str, Any]) -> Iterator[tuple[str, tuple[int | None, bytes]]]:
    """Yield path, mode and bytes of a file, and of its folders that are not there."""
    parent, name = os.path.split(os.path.normpath(path))
    parent = os.path.realpath(parent)
    root = next((each for each in rules["roots"] if f"{parent}/".startswith(f"{each}/")), None)
    whole = os.path.join(parent, name)
    if root is None or ".git" in whole.lower().split("/"):
        raise NotKept("no root contains it")
    _check_kept(whole, rules)
    folder, at = os.open(root, _FOLDER), root
    try:
        for part in os.path.relpath(parent, root).split("/") if parent != root else ():
            at = os.path.join(at, part)
            try:
                inner = os.open(part, _FOLDER, dir_fd=folder)
            except FileNotFoundError:
                while at != whole:
                    yield at, (None, b"")
                    at = os.path.join(at, os.path.relpath(whole, at).split("/")[0])
                yield whole, (None, b"")
                return
            os.close(folder)
            folder = inner
        yield whole, _content(folder, name, rules["file_bytes"])
    finally:
        os.close(folder)


def _content(folder: int, name: str, most_bytes: int) -> tuple[int | None, bytes]:
    """Return mode and bytes of a file; None where there is none."""
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return None, b""
    with open(descriptor, "rb", buffering=0) as file:
        there = os.fstat(descriptor)
        if not stat.S_ISREG(there.st_mode) or there.st_nlink != 1 or there.st_size > most_bytes:
            raise NotKept("such a file is not kept")
        content = file.readall()
        now = os.fstat(descriptor)
    if len(content) != there.st_size or now.st_mtime_ns != there.st_mtime_ns:
        raise NotKept("it changes")
    return stat.S_IMODE(there.st_mode), content


def _write(target: str, name: str, path: str, mode: int | None, content: bytes) -> None:
    """Write a copy in one step, unless there is one: the first was made before the tool ran."""
    if os.path.lexists(os.path.join(target, name)):
        return
    draft = os.path.join(target, f".{secrets.token_hex(8)}.part")
    with open(os.open(draft, _WRITE, 0o600), "wb") as file:
        file.write(json.dumps({"path": path, "mode": mode}).encode() + b"\n" + content)
        file.flush()
        os.fsync(file.fileno())
    os.rename(draft, os.path.join(target, name))
