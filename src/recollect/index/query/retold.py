"""Summaries of sessions that have messages left: they repeat these, so they come after them.

A summary has the words of many messages. Beside them it would take the places of better ones, and
nothing would be said that they do not say. Where no message of its session is heard any more, it is
all that is left, and stands where its score puts it.
"""

from __future__ import annotations

import msgspec
import numpy as np

from recollect.index.model.document import EPISODES, SESSIONS, SOURCES
from recollect.index.query.partition import PartitionView
from recollect.index.query.question import Ranked
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction

_EPISODE = SOURCES.index(EPISODES)
_MESSAGES_OF = f"""
    SELECT e.number, m.number FROM json_each(?) k
    CROSS JOIN chunk_groups e ON e.partition_id = ? AND e.number = k.value
    JOIN chunk_groups m ON m.partition_id = e.partition_id AND m.source = '{SESSIONS}'
        AND m.ref = e.ref
"""  # noqa: S608  # literals
"""By group of episodes: the groups of messages of the same session."""


def retold_last(tx: Transaction, view: PartitionView, ranked: Ranked) -> Ranked:
    """Return a ranking with the summaries of sessions that have messages left at its end.

    Args:
        tx: The snapshot that was ranked.
        view: What the caller hears.
        ranked: The ranking, best first.
    """
    arrays = view.partition.arrays
    numbers = np.array(ranked.numbers, np.int64)
    groups = arrays.columns["group"][numbers]
    are_episodes = arrays.columns["source"][numbers] == _EPISODE
    of_episodes = msgspec.json.encode(np.unique(groups[are_episodes]).tolist()).decode()
    cells = tx.all(_MESSAGES_OF, (of_episodes, view.partition.number))
    rows = typed_rows(cells, tuple[int, int])
    living = view.arrays.groups.chunks
    repeated = [number for number, messages in rows if messages < len(living) and living[messages]]
    are_retold = are_episodes & np.isin(groups, repeated)
    order = np.argsort(are_retold, kind="stable").tolist()
    if not are_retold.any():
        return ranked
    first = len(order) - int(np.count_nonzero(are_retold))
    return msgspec.structs.replace(ranked.ordered(order), first=first)
