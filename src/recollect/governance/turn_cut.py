"""Where a session may be cut: between two turns, and never between a tool call and its result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import LiteralString

from recollect.store.cell import integer
from recollect.store.engine import Transaction

_BELOW: LiteralString = """
    SELECT seq FROM messages WHERE session_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?
"""
_STARTS: LiteralString = """
    SELECT seq, role FROM messages WHERE session_id = ? ORDER BY seq
"""
_PAIRS: LiteralString = """
    SELECT asked.seq, answered.seq
    FROM tool_calls
    JOIN messages asked ON asked.id = tool_calls.message_id
    JOIN messages answered ON answered.id = tool_calls.result_id
    WHERE tool_calls.session_id = ?
"""


def cut_of(tx: Transaction, session_id: str, most: int) -> int:
    """Return the seq through which a session is to be cut so that ``most`` messages stay at most.

    The cut is before a user's message where one leaves half of that or more; otherwise wherever no
    pair is split. Where there is no such place, more than ``most`` stay: a pair is worth more than
    a cap.

    Returns:
        0 when nothing is to be cut.
    """
    row = tx.row(_BELOW, (session_id, most))
    if row is None:
        return 0
    rows = tx.all(_STARTS, (session_id,))
    seqs = [integer(seq) for seq, _ in rows]
    starts = {integer(seq) for seq, role in rows if role == "user"}
    pairs = [
        (integer(asked), integer(answered)) for asked, answered in tx.rows(_PAIRS, (session_id,))
    ]
    latest = seqs[-1 - most // 2]
    return choose_cut(seqs, starts, pairs, (integer(row[0]), latest))


def choose_cut(
    seqs: Sequence[int], starts: set[int], pairs: Iterable[tuple[int, int]], within: tuple[int, int]
) -> int:
    """Return the best of all cuts; a cut is named by the last seq before it.

    Args:
        seqs: Of all messages, in their order.
        starts: Those with which a turn begins.
        pairs: The seqs of each tool call and its result.
        within: The cut that leaves as many messages as may stay, and the last one for whole turns.
    """
    needed, latest = within
    spans = sorted((min(pair), max(pair)) for pair in pairs)
    whole = list(_whole(seqs, spans))
    later = [(cut, after) for cut, after in whole if cut >= needed]
    turns = [cut for cut, after in later if after in starts and cut <= latest]
    if turns or later:
        return turns[0] if turns else later[0][0]
    return whole[-1][0] if whole else 0


def _whole(seqs: Sequence[int], pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the cuts that split no pair, each with the seq behind it."""
    open_until, place = 0, 0
    for cut, after in pairwise(seqs):
        while place < len(pairs) and pairs[place][0] <= cut:
            open_until = max(open_until, pairs[place][1])
            place += 1
        if open_until <= cut:
            yield cut, after
