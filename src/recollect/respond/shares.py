"""Shares: one budget of tokens for the parts of a prompt, each with a floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

FLOORS = {"transcript": 0.4, "history": 0.15, "memories": 0.15, "episodes": 0.05}
"""The share of the room that each part is filled up to first, whatever the others are worth. What
is left of 1 belongs to none of them: it goes where it is worth most."""


class Portion(msgspec.Struct, frozen=True):
    """A piece of a part of a prompt.

    Attributes:
        tokens: What it costs.
        worth: 0 to 1; what the rest of the room goes by.
    """

    tokens: int
    worth: float


def shared_out(
    room: int, parts: Mapping[str, Sequence[Portion]], in_a_row: frozenset[str] = frozenset()
) -> dict[str, list[int]]:
    """Return which portions of each part fit into a room, as sorted positions.

    Args:
        room: Tokens for all of them.
        parts: The portions of each part, in the order in which they are to be taken.
        in_a_row: Parts that end with the first portion that does not fit: nothing may be missing
            between two others.

    >>> memories = [Portion(40, 0.9), Portion(40, 0.2)]
    >>> shared_out(100, {"memories": memories, "transcript": [Portion(30, 1.0), Portion(30, 0.5)]})
    {'memories': [0], 'transcript': [0, 1]}
    """
    positions: dict[str, list[int]] = {name: [] for name in parts}
    free = room
    for name, portions in parts.items():
        floor = int(room * FLOORS.get(name, 0.0))
        for position, portion in enumerate(portions):
            if portion.tokens <= min(floor, free):
                positions[name].append(position)
                floor -= portion.tokens
                free -= portion.tokens
            elif name in in_a_row:
                break
    rest = [
        (-portion.worth, position, name, portion.tokens)
        for name, portions in parts.items()
        for position, portion in enumerate(portions)
        if position not in positions[name]
    ]
    ended: set[str] = set()
    for _, position, name, tokens in sorted(rest):
        if tokens <= free and name not in ended:
            positions[name].append(position)
            free -= tokens
        elif name in in_a_row:
            ended.add(name)
    return {name: sorted(each) for name, each in positions.items()}
