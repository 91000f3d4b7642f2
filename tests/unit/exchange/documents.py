"""What the tests of exports share: homes without a model, and documents as values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

import recollect
from recollect.memory import Memory

PLAIN = {"embedding.provider": "none", "sessions.mirror": False}


def opened(
    place: Path,
    settings: Mapping[str, Any] | None = None,
    scope: recollect.Scope | None = None,
) -> Memory:
    """Open a home without a model and without mirrors."""
    return recollect.open(place, overrides={**PLAIN, **(settings or {})}, scope=scope, live=False)


def exported(memory: Memory, **order: Any) -> list[bytes]:
    """Return the lines of an export."""
    return list(memory.export(**order).lines())


def records(lines: Iterable[bytes]) -> list[Any]:
    """Return what is between the header and the last line."""
    return [msgspec.json.decode(line) for line in lines][1:-1]


def of_kind(lines: Iterable[bytes], kind: str) -> list[Any]:
    """Return the records of a kind."""
    return [each[kind] for each in records(lines) if kind in each]


def written(place: Path, lines: Iterable[bytes]) -> Path:
    """Write lines into a file, and return it."""
    place.write_bytes(b"".join(line + b"\n" for line in lines))
    return place


def resealed(lines: list[bytes]) -> list[bytes]:
    """Return lines with a last one that fits them, as somebody who edits a document would."""
    body = lines[:-1]
    end = msgspec.json.decode(lines[-1])
    kinds = [next(iter(msgspec.json.decode(line))) for line in body[1:]]
    end["end"]["counts"] = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
    end["end"]["sha256"] = hashlib.sha256(b"".join(line + b"\n" for line in body)).hexdigest()
    return [*body, msgspec.json.encode(end)]
