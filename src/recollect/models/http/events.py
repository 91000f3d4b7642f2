"""Server-sent events: the data of each, as the bytes arrive.

Source: HTML Living Standard, 9.2 "Server-sent events". The names of events are not read: providers
repeat them in the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_MOST_OTHER_BYTES = 1 << 16
_FIELDS = frozenset({b"", b"event", b"id", b"retry"})
"""Fields that are ignored; the one without a name is a comment."""


class ServerSentEvents:
    """The events of one answer.

    Args:
        pieces: The body.

    Attributes:
        other: What is not part of an event: a body of another kind, such as an error as JSON.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self.other = b""

    def __iter__(self) -> Iterator[bytes]:
        """Yield the data of each event; one that is not complete is dropped."""
        data: list[bytes] = []
        for line in self._lines():
            name, _, value = line.partition(b":")
            if line == b"":
                if data:
                    yield b"\n".join(data)
                data = []
            elif name == b"data":
                data.append(value.removeprefix(b" "))
            elif name not in _FIELDS and len(self.other) < _MOST_OTHER_BYTES:
                self.other += line

    def _lines(self) -> Iterator[bytes]:
        start: list[bytes] = []
        for piece in self._pieces:
            first, *more = piece.split(b"\n")
            start.append(first)
            for line in more:
                yield b"".join(start).removesuffix(b"\r")
                start = [line]
        self.other += b"".join(start)[:_MOST_OTHER_BYTES]
