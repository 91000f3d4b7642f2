"""A process that syncs an index with batches: to be killed in the middle of it."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from tests.support.provider_formats import FORMATS
from tests.unit.index.batch_home import BatchHome, embedder_at

TEXTS = tuple(f"fruit number {n} is sweet" for n in range(6))


class Elsewhere(msgspec.Struct, frozen=True):
    """A provider in another process."""

    origin: str

    def base_url(self, provider: str) -> str:
        """Return the base URL of a provider there."""
        return self.origin + FORMATS[provider].prefix


def main(folder: str, origin: str, provider: str) -> None:
    """Sync."""
    server = Elsewhere(origin)
    with BatchHome(Path(folder), server, TEXTS, embedder_at(server, provider)) as home:
        home.sync()


if __name__ == "__main__":
    main(*sys.argv[1:])
