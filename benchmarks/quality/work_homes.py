"""Homes filled with made-up agent work."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from benchmarks.datasets.agent_work import AgentWork
from recollect.memory import Memory

BATCH = 500


class StoredWork(msgspec.Struct, frozen=True, kw_only=True):
    """Where the observations of some work were stored.

    Attributes:
        numbers: The key of each observation by its number.
        sessions: The session id of each session key.
    """

    numbers: Mapping[int, str]
    sessions: Mapping[str, str]


def store_work(memory: Memory, work: AgentWork) -> StoredWork:
    """Record observations as a capturing client would, session by session, and index them.

    Raises:
        RecollectError: the product failed.
    """
    projects = {each.session: each.project for each in work.observations}
    sessions = {
        key: memory.sessions.create(project=project).id for key, project in projects.items()
    }
    numbers: dict[int, str] = {}
    for start in range(0, len(work.observations), BATCH):
        some = work.observations[start : start + BATCH]
        stored = memory.observations.record_many(
            {**each.arguments, "session_id": sessions[each.session]} for each in some
        )
        numbers |= {
            observation.number: each.key for observation, each in zip(stored, some, strict=True)
        }
    memory.sync()
    return StoredWork(numbers=numbers, sessions=sessions)
