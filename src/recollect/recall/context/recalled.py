"""What is known that answers a question, for a block: what `Memory.recall` returns for it.

It counts as no access: what is put into prompts by itself would keep itself from fading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from recollect.core.clock import to_iso
from recollect.core.numbers import show_number
from recollect.knowledge.fact import RULE, Fact
from recollect.knowledge.rows import facts_by_id, only_heard
from recollect.knowledge.wording import says
from recollect.observations.summary import clipped
from recollect.recall.context.block import BlockRequest, Candidate
from recollect.recall.context.facts import fact_candidate, is_here, is_trusted
from recollect.recall.context.order import LONGEST_LINE, PLAIN, Order
from recollect.recall.context.past_sessions import summary_lines
from recollect.recall.retrieval.retriever import MOST_EPISODES, Recalled, Retriever
from recollect.sessions.context.episode import Episode, heard_episode, is_by_rule
from recollect.store.engine import Transaction

GetRetriever: TypeAlias = Callable[[], Retriever]
MOST_FACTS = 10
"""In a block, as a recall has them."""
_OVER = 3
"""The factor by which more are recalled: some are of other people, projects, or sources."""


def recalled_for(retriever: GetRetriever, asking: BlockRequest) -> Recalled:
    """Return what is known that answers the question of a block."""
    return retriever().recall(
        None,
        asking.query or "",
        _OVER * MOST_FACTS,
        for_session=asking.asker.session_id,
        for_sender=asking.asker.sender,
        is_access=False,
    )


def recalled_candidates(
    tx: Transaction, order: Order, recalled: Recalled, others: Sequence[Candidate]
) -> list[Candidate]:
    """Return facts and episodes as candidates, as far as the reader of the block hears them.

    Args:
        tx: The snapshot of the block.
        order: What to look for.
        recalled: What the question found.
        others: The other candidates: what is one of them is not said again.
    """
    lines = [line for each in others for line in each.lines]
    ids = {each.id for each in others}
    facts = (
        fact_candidate(fact, similarity)
        for fact, similarity in _facts(tx, order, recalled)
        if fact.kind != RULE and not any(says(line, fact.text) for line in lines)
    )
    episodes = (each for each in _episodes(order, recalled) if each.id not in ids)
    return [*islice(facts, MOST_FACTS), *islice(episodes, MOST_EPISODES)]


def _facts(tx: Transaction, order: Order, recalled: Recalled) -> Iterator[tuple[Fact, float]]:
    """Yield the facts that may go into the block, as they are now, with their similarity."""
    similarity = {each.fact.id: each.similarity for each in recalled.facts}
    facts = {each.id: each for each in facts_by_id(tx, order.scope, list(similarity))}
    audible_ids = {each.id for each in only_heard(order.audience, list(facts.values()))}
    for id_ in similarity:
        if id_ in audible_ids and _is_answer(facts[id_], order):
            yield facts[id_], similarity[id_]


def _is_answer(fact: Fact, order: Order) -> bool:
    """Return whether a fact is true now, and of a person or of this project."""
    is_of_person = fact.subject == "speaker" and fact.kind != RULE
    is_there = is_of_person or is_here(fact, order)
    return fact.status == "current" and is_trusted(fact, order) and is_there


def _episodes(order: Order, recalled: Recalled) -> Iterator[Candidate]:
    """Yield summaries of other sessions of the project; in a group none, as of the last session."""
    group = order.audience.group
    if group is not None and not group.is_private:
        return
    for each in recalled.episodes:
        episode = heard_episode(each.episode, order.audience)
        if episode is None or episode.session_id in order.lineage or not is_by_rule(episode):
            continue
        is_of_project = episode.project in order.projects if order.projects else not episode.project
        if is_of_project and (lines := summary_lines(episode.summary)):
            yield _episode(episode, lines, each.similarity)


def _episode(episode: Episode, lines: Sequence[str], similarity: float) -> Candidate:
    label = f"[{show_number('episode', episode.number)} {to_iso(episode.ended_at)[:10]}]"
    return Candidate(
        kind="episode",
        id=episode.id,
        number=episode.number,
        section="episodes",
        lines=(clipped(" ".join([label, *lines]), LONGEST_LINE),),
        at=episode.ended_at,
        importance=PLAIN,
        relevance=similarity,
        worth_as="session",
    )
