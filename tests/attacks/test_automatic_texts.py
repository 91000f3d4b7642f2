"""No text of others gets by itself into a prompt, whatever it looks like and however it came."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory
from recollect.observations.observation import TYPES
from tests.attacks.payloads import CARRIERS, PAYLOADS, PROJECT, Carrier, Victim

OWNER = "agent:main:telegram:acc:direct:42"
HONEST = "We decided to keep the tea in tins."


def test_there_are_two_hundred_attacks() -> None:
    """docs/privacy.md: written for the project."""
    assert len(set(PAYLOADS)) * len(set(CARRIERS)) >= 200


@pytest.mark.parametrize("carrier", CARRIERS, ids=lambda carrier: carrier.__name__)
def test_no_attack_enters_an_automatic_text(carrier: Carrier, tmp_path: Path) -> None:
    """Not one of its sentences; what the owner and the agent said is there."""
    with _open(tmp_path / "home") as memory:
        for number, payload in enumerate(PAYLOADS):
            session = memory.sessions.create(key=OWNER, project=f"{PROJECT}{number}").id
            victim = Victim(memory=memory, number=number, session=session, folder=tmp_path)
            memory.sessions.append(session, "user", HONEST)
            memory.sessions.append(session, "user", "Clear the top shelf and label it, please.")
            memory.sessions.append(
                session,
                "assistant",
                "The top shelf is clear, its label new, the boxes are in the hall.",
            )
            memory.observations.record(session, event="prompt", input=HONEST)
            carrier(victim, payload)
            told = automatic_text(victim, payload)
            for sentence in _sentences(payload):
                assert sentence not in told, (carrier.__name__, payload)
                assert _spelled(sentence) not in _spelled(told), (carrier.__name__, payload)


def automatic_text(victim: Victim, payload: str) -> str:
    """Return everything about a project that may be put into a prompt without being asked for."""
    memory = victim.memory
    observations = memory.observations.list(project=victim.project, limit=100)
    lines = [line for o in observations for line in (o.title, o.summary)]
    memory.sessions.end(victim.session)
    following = memory.sessions.create(key=OWNER, project=victim.project).id
    blocks = [memory.context(following, asked, 4_000) for asked in (None, payload, HONEST)]
    blocks.append(memory.context(following, payload, 4_000, "prompt"))
    assert HONEST in blocks[0].text
    assert any(item.kind == "episode" for item in blocks[0].items)
    return _flat("\n".join([*lines, *(block.text for block in blocks)]))


def _sentences(payload: str) -> list[str]:
    """Return the payload and its longer parts, as they would be told."""
    parts = [payload, *payload.splitlines(), *payload.replace(":", ".").split(". ")]
    return [flat for part in parts if len(flat := _flat(part)) >= 12]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _spelled(text: str) -> str:
    """Return the words of a text, as a name has them, too."""
    return " ".join(re.findall(r"[^\W_]+", text))


def _open(home: Path) -> Memory:
    settings = {"embedding.provider": "none", "sessions.owner": ["telegram:42"]}
    given = {"context.types": TYPES, "context.prompt": True, "context.prompt_floor": 0.0}
    durable = {"store.durability": "fast", "sessions.mirror": False}
    return recollect.open(home, overrides={**settings, **given, **durable}, live=False)
