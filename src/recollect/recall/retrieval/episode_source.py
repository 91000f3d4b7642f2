"""Episodes as documents: the lines of a summary without their times, and what came of it."""

from __future__ import annotations

import re
from typing import LiteralString

from recollect.audience.visibility import VisibilityGroup
from recollect.core.scope import Scope
from recollect.index.model.document import EPISODES, Document, Removal
from recollect.recall.outbox_source import Changed, Changes
from recollect.sessions.context.episode import Episode, episodes_by_id, hearers_of
from recollect.store.columns import is_record_out, typed_rows
from recollect.store.engine import Transaction

_CHANGES: LiteralString = f"""
    SELECT c.tenant, c.ref, s.status IS NOT 'deleted' AND NOT {is_record_out("episode", "c.ref")}
    FROM changes c LEFT JOIN episodes e ON e.id = c.ref LEFT JOIN sessions s ON s.id = e.session_id
    WHERE c.seq > ? AND c.seq <= ? AND c.kind = 'episode' ORDER BY c.seq
"""  # noqa: S608  # literals
_LABEL = re.compile(r"^- (?:\[[^\]\n]{1,40}\] )?(?:(?:user|assistant): )?", re.MULTILINE)


def changed_episodes(tx: Transaction, changes: Changes) -> Changed:
    """Return the episodes that changed in a part of the outbox.

    One whose session is deleted counts as gone; one whose session retention removed stays.
    """
    rows = typed_rows(tx.all(_CHANGES, (changes.after, changes.last)), tuple[str, str, int])
    visibility = {ref: is_shown for _, ref, is_shown in rows}
    episodes = episodes_by_id(tx, [ref for ref, is_shown in visibility.items() if is_shown])
    return Changed(
        documents=[
            _document(episode, hearers_of(episode, changes.owner))
            for episode in episodes.values()
            if changes.agent in {None, episode.agent}
        ],
        removals=[
            Removal(source=EPISODES, ref=ref, tenant=tenant)
            for tenant, ref in {ref: (tenant, ref) for tenant, ref, _ in rows}.values()
            if ref not in episodes
        ],
    )


def searched_text(episode: Episode, *, is_owners: bool) -> str:
    """Return the text of an episode that is searched; what the agent did only for the owner."""
    texts = [_LABEL.sub("", episode.summary), episode.deeds if is_owners else ""]
    texts += [text for text in (episode.outcome, *episode.open_ends) if text not in texts[0]]
    return "\n".join(filter(None, texts))


def _document(episode: Episode, group: VisibilityGroup) -> Document:
    return Document(
        source=EPISODES,
        ref=episode.id,
        group=episode.session_id,
        order=episode.number,
        text=searched_text(episode, is_owners=group.is_owners),
        at=episode.ended_at,
        scope=Scope(
            tenant=episode.tenant,
            agent=episode.agent,
            user=episode.user,
            project=episode.project,
            session=episode.session_id,
        ),
        visibility_group=group.name,
    )
