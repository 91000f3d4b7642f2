"""Facts for the retriever, which need no records: each is found by the words that it has."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.text.terms import query_terms, terms


class KnownFact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact."""

    id: str = ""
    text: str
    importance: int = 5
    accessed_at: int = 0
    kind: str = "preference"
    subject: str = "speaker"
    slot: str | None = None
    access_count: int = 0
    is_pinned: bool = True


class KnownMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A fact with its share of the question's words."""

    fact: KnownFact
    score: float


class KnownFacts(msgspec.Struct):
    """Finds them by the share of the question's words that each holds."""

    known: list[KnownFact]

    def search(
        self,
        user_id: str | None,
        query: str,
        limit: int = 10,
        *,
        for_session: str | None = None,
        for_sender: str | None = None,
        is_access: bool = True,
    ) -> Sequence[KnownMatch]:
        """Return those with any word of the question, the best first."""
        asked = set(query_terms(query))
        found = [
            KnownMatch(fact=fact, score=len(asked & set(terms(fact.text))) / max(1, len(asked)))
            for fact in self.known
        ]
        return sorted(filter(lambda f: f.score, found), key=lambda f: -f.score)[:limit]

    def note_access(self, facts: Sequence[KnownFact]) -> None:
        """Count nothing: these do not fade."""
