"""Facts that were replaced, in a result: what holds now, or held then, stands before the others.

What messages say is put in order by the ranking, see `recollect.index.query.replaced`. A fact by
hand has no message, so its chain is followed here, by the same rules: an old one hands its score to
what is asked for, and follows directly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec

from recollect.audience.visibility import Audience
from recollect.core.scope import Scope
from recollect.index.model.document import FACTS
from recollect.index.query.hit import Hit, SearchResult
from recollect.index.query.ranking import FITS_AS_WELL
from recollect.index.query.replaced import MOST_CHAINS, Replacing
from recollect.index.query.search_service import SearchOptions
from recollect.knowledge.fact import Fact
from recollect.knowledge.rows import facts_by_id, made_way, only_heard
from recollect.store.engine import Transaction


def fact_hit(fact: Fact, score: float, why: dict[str, float], *, citations: bool) -> Hit:
    """Return a fact as a hit."""
    return Hit(
        score=score,
        source=FACTS,
        ref=fact.id,
        snippet=fact.text,
        why=why,
        at=fact.valid_from,
        number=fact.number,
        citation=f"fact:f{fact.number}" if citations else None,
    )


def with_asked_first(
    tx: Transaction, scope: Scope, audience: Audience, result: SearchResult, options: SearchOptions
) -> SearchResult:
    """Return a result in which the fact of a chain that is asked for comes before the others.

    Args:
        tx: A transaction.
        scope: The owner of the facts.
        audience: Who asks.
        result: Of the search.
        options: Of the search; its question decides what is asked for.
    """
    rule, hits = options.replacing, [*result.hits]
    if rule is None:
        return result
    least = FITS_AS_WELL * max((hit.score for hit in hits), default=0.0)
    near = [hit.ref for hit in hits if hit.source == FACTS and hit.score >= least > 0]
    moved = 0
    for chain in _chains(tx, scope, audience, near):
        fact = _asked_for(chain, rule)
        if fact is not None and moved < MOST_CHAINS:
            moved += _lift(hits, chain, fact, options)
    return msgspec.structs.replace(result, hits=hits[: options.limit]) if moved else result


def _chains(
    tx: Transaction, scope: Scope, audience: Audience, refs: Sequence[str]
) -> Iterator[list[Fact]]:
    """Yield the chains that facts belong to, as far as they are heard; each oldest first."""
    seen: set[str] = set()
    for ref in refs:
        if ref in seen:
            continue
        facts = {each.id: each for each in facts_by_id(tx, scope, [ref])}
        fresh = set(facts)
        while fresh:
            next_ = {facts[id_].replaced_by for id_ in fresh} - {None}
            near = facts_by_id(tx, scope, sorted(id_ for id_ in next_ if id_ is not None))
            near += made_way(tx, scope.tenant, sorted(fresh))
            fresh = {each.id for each in near} - set(facts)
            facts |= {each.id: each for each in near}
        seen.update(facts)
        chain = [each for each in only_heard(audience, list(facts.values())) if each.is_found]
        if len(chain) > 1:
            yield sorted(chain, key=lambda each: (each.valid_from, each.status == "current"))


def _asked_for(chain: Sequence[Fact], rule: Replacing) -> Fact | None:
    if rule.asks == "state":
        return chain[-1]
    if rule.then_ms is None:
        return chain[-2]
    return next((each for each in chain if each.was_valid(rule.then_ms)), None)


def _lift(hits: list[Hit], chain: Sequence[Fact], fact: Fact, options: SearchOptions) -> int:
    """Put a fact before the first hit of its chain; return 1 if that changes anything.

    It may be a hit through its message. Where it is no hit it is added, unless it comes from a
    message, or the question names a time when it was said.
    """
    refs = {each.id for each in chain}
    first = next(position for position, hit in enumerate(hits) if hit.ref in refs)
    own = next((n for n, hit in enumerate(hits) if hit.ref in {fact.id, fact.message_id}), None)
    if own is not None and own <= first:
        return 0
    if own is None and (fact.message_id is not None or options.said is not None):
        return 0
    score = hits[first].score
    if own is None:
        hit = fact_hit(fact, score, {"replaces": score}, citations=options.citations)
    else:
        hit = hits.pop(own)
        more = {"replaces": score - hit.score}
        hit = msgspec.structs.replace(hit, score=score, why={**hit.why, **more})
    hits[first] = msgspec.structs.replace(hits[first], score=math.nextafter(score, 0.0))
    hits.insert(first, hit)
    return 1
