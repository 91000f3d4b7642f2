"""The whole life of sessions at random, against a small reference that is obviously right.

Hypothesis chooses steps; a step becomes a command for what is there at that moment. A failure is
shrunk to the few steps that it needs. In the second test a real process plays and is killed.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from msgspec.json import decode

from tests.durability.lifecycle_player import Outcome, Player, expected, observed
from tests.durability.processes import Worker
from tests.durability.reference_model import DAY, HOUR, MINUTE, Command, Reference, Refused
from tests.durability.scale import SCALE, SEED, chance, report

NOON = 1_770_724_800_000
"""2026-02-10 12:00 UTC in ms."""
KEYS = ("telegram:42", "agent:main:slack:acc:group:g1", "cron:nightly")
PROJECTS = (None, "/a", "/b")
TITLES = (None, "One", "Two", "one")
MOVES = (0, 1, 10_000, MINUTE + 1, HOUR, 5 * HOUR, DAY, -HOUR, -5 * HOUR)
OPS = (
    *("append",) * 7,
    *("open",) * 3,
    *("fork",) * 3,
    *("reset", "hold", "held_append", "set_status", "resume", "compact") * 2,
    *("create", "rename", "release", "reopen", "crash", "prune", "prune"),
)
UNSEEN = ("hold", "held_append", "release", "prune")
"""Whether they happened, or how far, does not show."""
MOST_STEPS = 30
KILLS_OF_A_HOME = 3

Step = tuple[str, int, int, int]
"""What to do, and three numbers that choose to what."""

STEPS = st.lists(
    st.tuples(st.sampled_from(OPS), *(st.integers(0, 59),) * 3),
    min_size=MOST_STEPS // 3,
    max_size=MOST_STEPS,
)


class Planner:
    """Makes commands of steps.

    Args:
        reference: What is there.
    """

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        self._now = NOON
        self._words = 0
        self.leases: list[list[Any]] = []

    def command(self, step: Step) -> Command:
        """Return the command of a step; where there is nothing to do it with, create a session."""
        op, a, b, c = step
        self._now += MOVES[c % len(MOVES)]
        ids = sorted(self._reference.sessions)
        self.leases = [lease for lease in self.leases if lease[0] in self._reference.sessions]
        if op in {"held_append", "release"} and not self.leases:
            op = "hold"
        if op not in {"open", "reset"} and not ids:
            op = "create"
        arguments = getattr(self, f"_{op}")(ids, a, b)
        return {"op": op, "now": self._now, **arguments}

    def _create(self, ids: Sequence[str], a: int, b: int) -> dict[str, Any]:
        chosen = {"key": (None, *KEYS)[a % 4], "project": PROJECTS[b % 3], "title": TITLES[b % 4]}
        return chosen | ({"session_id": ids[a % len(ids)]} if ids and b % 5 == 0 else {})

    def _open(self, _: Sequence[str], a: int, b: int) -> dict[str, Any]:
        return {"key": KEYS[a % 3], "project": PROJECTS[b % 3] if b % 2 else None}

    _reset = _open

    def _append(self, ids: Sequence[str], a: int, b: int) -> dict[str, Any]:
        return {"session_id": ids[a % len(ids)], "items": self._items(ids[a % len(ids)], b)}

    def _items(self, session: str, b: int) -> list[dict[str, Any]]:
        return [self._item(session, b + position * 7) for position in range(b % 5)]

    def _item(self, session: str, b: int) -> dict[str, Any]:
        self._words += 1
        item: dict[str, Any] = {"role": ("user", "assistant")[b % 2], "text": f"w{self._words}"}
        if b % 3 == 0:
            item["event_id"] = f"e{b // 3 % 10}"
        if b % 5 == 0:
            item["at"] = self._now + (-DAY, -1, DAY)[b % 3]
        if b % 4 == 1:
            item |= {"call": f"call-{self._words}", "read": b, "written": self._words}
        elif b % 4 == 2:
            item |= {"role": "user", "result": self._answered(session, b)}
        return item

    def _answered(self, session: str, b: int) -> str:
        """Return a call that was not answered here, or one that nobody has seen."""
        here = {said.result for said in self._reference.sessions[session].own}
        waiting = sorted(set(self._reference.calls(session)) - here) if b % 3 else []
        return waiting[b % len(waiting)] if waiting else f"unseen-{self._words}"

    def _fork(self, ids: Sequence[str], a: int, b: int) -> dict[str, Any]:
        session = ids[a % len(ids)]
        last = self._reference.last(self._reference.sessions[session])
        where = {} if b % 3 == 0 else {"at_seq": b % (last + 3) - 1}
        return {"session_id": session, "title": TITLES[b % 4], **where}

    def _resume(self, ids: Sequence[str], a: int, b: int) -> dict[str, Any]:
        session = ids[a % len(ids)]
        names = (session, session, session[-12:], "One", "two", "nowhere to be found")
        return {"id_or_title": names[b % len(names)]}

    def _hold(self, ids: Sequence[str], a: int, b: int) -> dict[str, Any]:
        return {
            "id_or_title": ids[a % len(ids)],
            "holder": ("ann", "ben")[b % 2],
            "on_busy": ("refuse", "fork")[b // 2 % 2],
        }

    def _held_append(self, _: Sequence[str], a: int, b: int) -> dict[str, Any]:
        lease = self.leases[a % len(self.leases)]
        return {"lease": lease, "items": self._items(lease[0], b)}

    def _release(self, _: Sequence[str], a: int, b: int) -> dict[str, Any]:
        return {"lease": self.leases[a % len(self.leases)]}

    def _compact(self, ids: Sequence[str], a: int, b: int) -> dict[str, Any]:
        return {"session_id": ids[a % len(ids)], "keep_messages": b % 5}

    def _prune(self, _: Sequence[str], __: int, ___: int) -> dict[str, Any]:
        return {}

    def _rename(self, ids: Sequence[str], a: int, b: int) -> dict[str, Any]:
        return {"session_id": ids[a % len(ids)], "title": TITLES[b % 4]}

    def _set_status(self, ids: Sequence[str], a: int, b: int) -> dict[str, Any]:
        statuses = ("archived", "deleted", "active", "deleted")
        return {"session_id": ids[a % len(ids)], "status": statuses[b % 4]}


def follow(reference: Reference, planner: Planner, command: Command, outcome: Outcome) -> None:
    """Let the reference do what the product did, and compare what they gave."""
    told: dict[str, Any] = {"through": outcome.through} if command["op"] == "compact" else {}
    if command["op"] == "prune":
        told = {"gone": list(outcome.gone), "cut": outcome.cut}
    try:
        wanted = Outcome(session=reference.apply(command | told, outcome.session))
    except Refused as refused:
        wanted = Outcome(code=str(refused))
    fence = None
    if command["op"] == "hold" and wanted.session is not None:
        fence = reference.leases[wanted.session][1]
        planner.leases.append([wanted.session, command["holder"], fence])
    assert (outcome.session, outcome.code, outcome.fence) == (wanted.session, wanted.code, fence)


def play(home: Path, fresh: str, steps: Sequence[Step]) -> None:
    """Play steps in this process; compare everything after each of them."""
    player, reference = Player(home, fresh), Reference(fresh)
    planner = Planner(reference)
    try:
        for step in steps:
            if step[0] in {"reopen", "crash"}:
                getattr(player, step[0])()
            else:
                command = planner.command(step)
                follow(reference, planner, command, player.perform(command))
            assert observed(player.memory) == expected(reference)
        _check_derived(player, reference)
    finally:
        player.close()


def _check_derived(player: Player, reference: Reference) -> None:
    """Compare what is made of the rows: the index, and the mirrors of a closed home."""
    there = {id_: kept.own for id_, kept in reference.sessions.items()}
    found = player.found()
    assert "deleted" not in {reference.sessions[id_].status for id_, _ in found}
    assert {(reference.owner(id_, seq), seq) for id_, seq in found} == reference.searchable()
    player.close()
    mirrored = {id_: [(s.seq, s.role, s.text) for s in own] for id_, own in there.items() if own}
    assert player.mirrored() == mirrored


def test_random_lives_are_those_of_the_reference(scratch: Path) -> None:
    """After each step all sessions, transcripts, calls and trees; then the index and mirrors."""
    played = steps_played = 0

    @seed(SEED)
    @settings(
        max_examples=SCALE.lifecycles,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(("idle", "daily", "both", "none")), STEPS)
    def run(fresh: str, steps: list[Step]) -> None:
        nonlocal played, steps_played
        home = Path(tempfile.mkdtemp(dir=scratch))
        play(home, fresh, steps)
        shutil.rmtree(home)
        played, steps_played = played + 1, steps_played + len(steps)

    run()
    report("lives of sessions", sequences=played, steps=steps_played, different=0)


def test_a_killed_program_leaves_a_life_that_the_reference_knows(scratch: Path) -> None:
    """Each acknowledged step is there; the one that was under way happened as a whole or not."""
    random = chance("killed lives")
    happened = acks = 0
    home, reference = scratch, Reference("idle")
    planner = Planner(reference)
    for kill in range(SCALE.lifecycle_kills):
        if kill % KILLS_OF_A_HOME == 0:
            home, reference = scratch / f"{kill}", Reference("idle")
            planner = Planner(reference)
        worker = Worker("play", home, "idle")
        assert worker.answer() == "ready"
        for _ in range(random.randint(1, MOST_STEPS)):
            command = planner.command(_any_step(random))
            worker.order(json.dumps(command))
            follow(reference, planner, command, decode(worker.answer(), type=Outcome))
            acks += 1
        command = planner.command(_any_step(random, *UNSEEN))
        worker.order(json.dumps(command))
        worker.listen(random.uniform(0, 0.004))  # killed while it reads, writes, or has answered
        happened += _settle(home, reference, planner, command, worker.kill())
    report("killed lives", kills=SCALE.lifecycle_kills, acks=acks, unknown=happened, different=0)


def _any_step(random: Random, *without: str) -> Step:
    op = random.choice([op for op in OPS if op not in {"reopen", "crash", *without}])
    return op, random.randrange(60), random.randrange(60), random.randrange(60)


def _settle(
    home: Path, reference: Reference, planner: Planner, command: Command, said: list[str]
) -> bool:
    """Compare what a killed program left; return whether a command without an answer happened."""
    player = Player(home, "idle")
    try:
        there = observed(player.memory)
        if said:
            follow(reference, planner, command, decode(said[0], type=Outcome))
        is_unknown = there != expected(reference)
        if is_unknown and not said:
            made = set(there["sessions"]) - set(reference.sessions)
            if command["op"] == "compact":
                command |= {"through": there["views"][command["session_id"]][0]}
            reference.apply(command, made.pop() if made else None)
        assert there == expected(reference)
        assert "altered" not in player.memory.heal_mirrors()
        _check_derived(player, reference)
    finally:
        player.close()
    return is_unknown
