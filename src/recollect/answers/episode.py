"""Episodes, as HTTP and ``--json`` answer them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.sessions.context.episode import Episode


class EpisodeList(msgspec.Struct, frozen=True, kw_only=True):
    """Summaries of sessions: the newest first; of a question those that fit best first."""

    episodes: Sequence[Episode]
