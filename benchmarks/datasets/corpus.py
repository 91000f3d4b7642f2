"""What a data set becomes before it meets the product: turns, sessions, questions, documents.

Importers make these values and runs read them. They hold nothing that the product must not see:
answers, evidence texts and summaries are never decoded, and gold keys stay in `Question`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.core.errors import InvalidInput


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One message as it is fed to the product; ``key`` is unique in its set, ``at`` is ms UTC."""

    key: str
    role: str
    name: str | None
    text: str
    at: int


class DatedSession(msgspec.Struct, frozen=True, kw_only=True):
    """The turns of one sitting, oldest first."""

    key: str
    turns: tuple[Turn, ...]


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """All sittings of one pair of speakers, oldest first: one memory."""

    key: str
    sessions: tuple[DatedSession, ...]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question with the keys of the turns (or documents) that hold its answer, never empty.

    ``cluster`` is the conversation it was asked about, or its own key where there is none.
    """

    key: str
    cluster: str
    group: str
    text: str
    gold: tuple[str, ...]


class DialogueSet(msgspec.Struct, frozen=True, kw_only=True):
    """Conversations and the questions about them; ``digest`` names the bytes they come from."""

    name: str
    digest: str
    conversations: tuple[Conversation, ...]
    questions: tuple[Question, ...]

    def narrowed(self, conversations: int | None, questions: int | None) -> DialogueSet:
        """Return the first ``conversations`` with at most ``questions``, spread over all groups.

        Raises:
            InvalidInput: a number below one.
        """
        kept = self.conversations[: _at_least_one("limit", conversations)]
        keys = {conversation.key for conversation in kept}
        asked = [question for question in self.questions if question.cluster in keys]
        return msgspec.structs.replace(
            self, conversations=kept, questions=tuple(spread(asked, questions))
        )

    def session_of(self) -> dict[str, str]:
        """Return the key of the session of every turn."""
        return {
            turn.key: session.key
            for conversation in self.conversations
            for session in conversation.sessions
            for turn in session.turns
        }


class TextDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One text of a document collection."""

    key: str
    title: str
    text: str


class DocumentSet(msgspec.Struct, frozen=True, kw_only=True):
    """Documents and judged queries."""

    name: str
    digest: str
    documents: tuple[TextDocument, ...]
    questions: tuple[Question, ...]

    def narrowed(self, questions: int | None) -> DocumentSet:
        """Return the same documents with at most ``questions``, evenly spread."""
        return msgspec.structs.replace(self, questions=tuple(spread(self.questions, questions)))


def spread(questions: Sequence[Question], count: int | None) -> list[Question]:
    """Return ``count`` questions at equal distances, in order; all of them when fewer.

    Raises:
        InvalidInput: ``count`` is below one.
    """
    count = _at_least_one("questions", count)
    if count is None or count >= len(questions):
        return list(questions)
    return [questions[position * len(questions) // count] for position in range(count)]


def _at_least_one(name: str, number: int | None) -> int | None:
    if number is not None and number < 1:
        raise InvalidInput(f"{name} must be at least 1", hint=f"leave --{name} out for everything")
    return number
