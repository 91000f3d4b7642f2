"""Episodes by a language model, after they were written by rule.

A call has what the hearers of one episode heard, and nothing else. What names a file or a number
that was not spoken of is refused, and the lines of the rules stay.
"""

from __future__ import annotations

from collections.abc import Callable

from recollect.core.clock import DAY_MS, Clock
from recollect.core.scope import Scope
from recollect.models.language.model import LanguageModel
from recollect.sessions.context.episode import (
    MADE_BY,
    Episode,
    find_unread,
    rewrite_episode,
)
from recollect.sessions.context.episode_writer import EpisodeWriter
from recollect.sessions.context.summary import ModelSummariser, SummaryOrder
from recollect.sessions.record.session import find_session
from recollect.store.engine import Database
from recollect.text.summary.extractive import SUMMARY_VERSION, utterance_line
from recollect.text.summary.grounding import ungrounded
from recollect.text.tokens import estimate_tokens

PURPOSE = "episodes"
KEPT = f"{MADE_BY}/kept"
"""``made_by`` of an episode for which the model gave no usable words."""
MOST_CALLS = 2
"""Calls per run: indexing waits for them."""
OLDEST_MS = DAY_MS
"""Older episodes keep the lines of the rules: enabling this does not cost the whole past."""


class EpisodeDigest:
    """Rewrites episodes by a model.

    Args:
        database: ``records.db``.
        clock: Tells the time.
        writer: Reads the messages that an episode covers.
        model: Who is asked.
        redacted: Takes secrets out of an answer.
        scope: The owner of the episodes.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        writer: EpisodeWriter,
        model: LanguageModel,
        *,
        redacted: Callable[[str], str],
        scope: Scope,
    ) -> None:
        self._database = database
        self._clock = clock
        self._writer = writer
        self._redacted = redacted
        self._scope = scope
        self._summariser = ModelSummariser(model, PURPOSE)

    def run(self, stopping: Callable[[], bool] = lambda: False) -> int:
        """Rewrite what was written in the last day; return how many were rewritten.

        A model that does not answer is asked again in the next run.
        """
        since, scope = self._clock.now_ms() - OLDEST_MS, self._scope
        done = 0
        for episode in self._database.read(lambda tx: find_unread(tx, scope, since, MOST_CALLS)):
            if stopping() or not self._rewrite(episode):
                break
            done += 1
        return done

    def _rewrite(self, episode: Episode) -> bool:
        """Ask the model for one; return False without an answer."""
        scope, session_id = self._scope, episode.session_id
        session = self._database.read(lambda tx: find_session(tx, scope, session_id))
        said = [] if session is None else self._writer.said(session, episode)
        made_by, summary = KEPT, episode.summary
        if said:
            most = self._writer.tokens - (estimate_tokens(episode.deeds) if episode.deeds else 0)
            made = self._summariser.summarise(
                SummaryOrder(previous="", utterances=said, tokens=most, count=estimate_tokens)
            )
            if made.made_by == SUMMARY_VERSION:
                return False
            source = "\n".join(map(utterance_line, said))
            is_short = estimate_tokens(made.text) <= most
            if is_short and not ungrounded(made.text, source):
                made_by, summary = made.made_by, self._redacted(made.text)
        self._database.write(lambda tx: rewrite_episode(tx, episode, summary, made_by))
        return True
