"""The third step of recall: records in full, by number or id, of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from recollect.audience.visibility import VisibilityGroup
from recollect.core.checks import MOST_IDS, check_count, check_most, check_texts
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.numbers import parse_record, show_number
from recollect.observations.observations import Observations
from recollect.observations.payload import cut_to_tokens
from recollect.recall.audience import Asked, group_asking
from recollect.recall.steps.detail import Detail, DetailBatch
from recollect.sessions.record.content import TextBlock
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import DELETED
from recollect.text.tokens import estimate_tokens

EpisodeOf = Callable[[str], tuple[Any, VisibilityGroup]]
"""Returns an episode, by number or id, and who hears it; raises `NotFound`."""


class Records(msgspec.Struct, frozen=True, kw_only=True):
    """Where records of each kind are."""

    observations: Callable[[], Observations]
    sessions: Asked
    episode: EpisodeOf

    def details(
        self,
        ids: str | Sequence[str],
        max_tokens: int | None,
        for_session: str | None,
        for_sender: str | None,
    ) -> DetailBatch:
        """Return records as far as a session hears them; see `Memory.get`."""
        check_count(max_tokens, "a number of tokens", 1)
        group = group_asking(self.sessions, for_session, for_sender)
        request = _Request(
            records=self, most=max_tokens, session=for_session, sender=for_sender, group=group
        )
        names = check_texts(ids, "ids")
        check_most(len(names), MOST_IDS, "a number of ids")
        asked = {name: request.find(name) for name in names}
        found = tuple(detail for name in names if (detail := asked[name]) is not None)
        return DetailBatch(
            found=found,
            missing=tuple(name for name in names if asked[name] is None),
            tokens=sum(detail.tokens for detail in found),
        )


class _Request(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks for details, and how long they may be."""

    records: Records
    most: int | None
    session: str | None
    sender: str | None
    group: VisibilityGroup | None

    def find(self, name: str) -> Detail | None:
        """Return what a name means; None where there is nothing, or nothing that they hear.

        Raises:
            InvalidInput: nothing is called so.
        """
        meant = parse_record(name)
        if meant is None:
            hint = "write #12, m88 or e3; in a shell with quotes: '#12'"
            raise InvalidInput("an id must be a UUID or a number such as #12", hint=hint)
        ways = {
            "observation": self._observation,
            "message": self._message,
            "episode": self._episode,
        }
        for kind, way in ways.items():
            if meant.kind in {None, kind}:
                with suppress(NotFound):
                    found = way(name.strip())
                    if found is not None:
                        return found
        return None

    def _observation(self, name: str) -> Detail | None:
        batch = self.records.observations().get(
            name, self.most, for_session=self.session, for_sender=self.sender
        )
        for found in batch.found:
            return _detail("observation", found, found.number, batch.tokens)
        return None

    def _message(self, name: str) -> Detail | None:
        sessions = self.records.sessions()
        message = sessions.message(name)
        if self.group is not None:
            is_shown = sessions.is_shown(message)
            if not is_shown or sessions.message_group(message).name != self.group.name:
                return None
        if self.most is not None and _cost(message) > self.most:
            short = cut_to_tokens(message.text, self.most)
            content = (TextBlock(text=short),)
            message = msgspec.structs.replace(message, text=short, blocks=content)
        return _detail("message", message, message.number, _cost(message))

    def _episode(self, name: str) -> Detail | None:
        episode, heard_by = self.records.episode(name)
        if self.group is not None:
            is_gone = self.records.sessions().get(episode.session_id).status == DELETED
            if is_gone or heard_by.name != self.group.name:
                return None
        hears_all = self.group is None or self.group.is_owners
        half = None if self.most is None else self.most // 2
        deeds = cut_to_tokens(episode.deeds if hears_all else "", half)
        left = None if self.most is None else self.most - estimate_tokens(deeds)
        short = cut_to_tokens(episode.summary, left)
        shown = msgspec.structs.replace(episode, summary=short, deeds=deeds)
        return _detail("episode", shown, shown.number, estimate_tokens(shown.text))


def _detail(kind: str, record: msgspec.Struct, number: int, tokens: int) -> Detail:
    return Detail(name=show_number(kind, number), kind=kind, tokens=tokens, record=record)


def _cost(message: Message) -> int:
    """Return what a message costs: its text, or its blocks where it has others."""
    said = estimate_tokens(message.text)
    if all(type(block) is TextBlock for block in message.blocks):
        return said
    return max(said, estimate_tokens(msgspec.json.encode(message.blocks).decode()))
