"""Payloads that agent programs give to their hooks: recorded, or as documented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "unit" / "integrations" / "payloads"


def payloads_of(client: str) -> list[dict[str, Any]]:
    """Return all payloads of a client, in the order in which they came."""
    return [json.loads(line) for line in (FOLDER / f"{client}.jsonl").read_text().splitlines()]


def documented_events(client: str) -> list[tuple[str, dict[str, Any]]]:
    """Return event and payload of a life of a client, made of the examples of its documentation."""
    return [(each["event"], each["payload"]) for each in payloads_of(client)]
