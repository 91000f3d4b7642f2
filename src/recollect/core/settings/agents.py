"""Settings of single agents: a second layer of `config.yaml`, merged over the common one.

Below ``agents:`` an agent's name holds the same sections as the file itself, except for what
belongs to the home as a whole. Lists of places add up; every other value replaces the common one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from recollect.core.errors import ConfigError, InvalidInput
from recollect.core.settings.environment import GivenValue

SECTION = "agents"
APART = "apart"
"""The key that says whether an agent is behind a wall; it asks for no index of its own."""
WHOSE = ("sessions.owner", "sessions.identity_links")
"""Keys that say who the owner of an agent is: with other values it is another one's."""
OF_THE_HOME = ("store", "privacy")
"""Sections that all agents share: one database, one way to take secrets out."""
ADDED_UP = (
    "workspace.extra_paths",
    "workspace.transcripts",
    "embedding.remote.headers",
    "language.headers",
)
"""Lists of the agent are put after the common ones, as OpenClaw does with its extra paths."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def agent_name(text: str) -> str:
    """Return the name of an agent in its one spelling; it may become the name of a folder.

    Raises:
        InvalidInput: it has other characters than letters, digits, ``-`` and ``_``, or is too long.

    >>> agent_name("Work")
    'work'
    """
    name = text.strip().lower()
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            "the name of an agent cannot be used",
            hint="use letters, digits, - and _, 64 at most, a letter or digit first",
        )
    return name


def known_agent(text: str | None) -> str | None:
    """Return the name of an agent as the settings spell it; None for one that cannot have any."""
    try:
        return None if text is None else agent_name(text)
    except InvalidInput:
        return None


def file_key(key: str, agent: str | None) -> str:
    """Return the key of an option in the file: below the name of an agent, if there is one.

    Raises:
        ConfigError: the option belongs to the home, not to an agent.
        InvalidInput: the name of the agent cannot be used.

    >>> file_key("search.limit", "Work")
    'agents.work.search.limit'
    """
    if agent is None:
        return key
    path = f"{SECTION}.{agent_name(agent)}.{key}"
    option_key(path)
    return path


def option_key(key: str) -> str:
    """Return the key of the option that a key of the file sets: without the agent before it.

    Raises:
        ConfigError: the option belongs to the home, not to an agent.

    >>> option_key("agents.work.search.limit")
    'search.limit'
    """
    if not key.startswith(f"{SECTION}."):
        return key
    inner = key.split(".", 2)[2]
    if inner.partition(".")[0] in OF_THE_HOME:
        raise ConfigError(
            f"{inner} cannot differ between agents",
            hint=f"set {inner} for the whole home",
            key=key,
        )
    return inner


class Walls(msgspec.Struct, frozen=True):
    """Which agents are apart: the owner's rows of one are not heard by the owner's other agents.

    Attributes:
        everyone: Whether an agent that is no exception is apart.
        exceptions: Agents of which the opposite is true.
    """

    everyone: bool = False
    exceptions: frozenset[str] = frozenset()

    def side(self, agent: str) -> str | None:
        """Return on which side of the walls an agent is: its own name; None where it shares.

        >>> Walls(exceptions=frozenset({"work"})).side("work"), Walls().side("work")
        ('work', None)
        """
        return agent if (agent in self.exceptions) != self.everyone else None


NO_WALLS = Walls()


def agents_named(values: Mapping[str, GivenValue]) -> tuple[str, ...]:
    """Return the agents that a file names, sorted."""
    return tuple(sorted({key.split(".")[1] for key in values if key.startswith(f"{SECTION}.")}))


def agents_tuned(values: Mapping[str, GivenValue]) -> tuple[str, ...]:
    """Return the agents that have settings of their own beside a wall, sorted."""
    return agents_named(
        {key: value for key, value in values.items() if key.split(".")[2:] != [APART]}
    )


def layered(values: Mapping[str, GivenValue], agent: str | None) -> dict[str, GivenValue]:
    """Return the settings of a file for one agent, or for all without a name of their own."""
    common = {key: entry for key, entry in values.items() if not key.startswith(f"{SECTION}.")}
    if agent is None:
        return common
    prefix = f"{SECTION}.{agent}."
    own = {key[len(prefix) :]: entry for key, entry in values.items() if key.startswith(prefix)}
    for key in ADDED_UP:
        if key in own and key in common:
            own[key] = _joined(common[key], own[key])
    return common | own


def outgrows(values: Mapping[str, GivenValue], agent: str | None) -> bool:
    """Return whether an agent chooses the size of its chunks and leaves their overlap to others."""
    prefix = f"{SECTION}.{agent}.chunking."
    return prefix + "tokens" in values and prefix + "overlap" not in values


def _joined(common: GivenValue, own: GivenValue) -> GivenValue:
    if not (isinstance(common.value, list) and isinstance(own.value, list)):
        return own  # one of them is not a list; the check of values says so
    return GivenValue(list(dict.fromkeys(common.value + own.value)), own.origin, own.is_text)
