"""Payloads that agent programs gave to their hooks, recorded from the real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "unit" / "integrations" / "payloads"


def payloads_of(client: str) -> list[dict[str, Any]]:
    """Return all payloads of a client, in the order in which they came."""
    return [json.loads(line) for line in (FOLDER / f"{client}.jsonl").read_text().splitlines()]
