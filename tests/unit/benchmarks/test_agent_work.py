"""The made-up work of agents: large enough, the same for everybody, its halves apart."""

from __future__ import annotations

import msgspec

from benchmarks.datasets.agent_work import Half, make_work
from benchmarks.datasets.work_seen import SEEN
from benchmarks.datasets.work_unseen import UNSEEN

WORK = make_work((SEEN, UNSEEN), 7, 5_200)


def test_there_is_enough_of_it() -> None:
    """150 questions over 5,000 observations at least, half of them unseen; each has one answer."""
    assert len(WORK.observations) >= 5_000
    assert len({work.key for work in WORK.observations}) == len(WORK.observations)
    for half in (SEEN, UNSEEN):
        asked = [question for question in WORK.questions if question.half == half.name]
        assert len(asked) >= 75
        assert len({question.text for question in asked}) == len(asked)


def test_the_answer_is_in_its_observation() -> None:
    """And what is asked is not what the observation says."""
    by_key = {work.key: work for work in WORK.observations}
    for question in WORK.questions:
        given = by_key[question.gold].arguments
        told = _text(given.get("output")) + _text(given.get("input"))
        assert (
            question.answer in told or msgspec.json.encode(question.answer).decode()[1:-1] in told
        )
        assert question.text not in told


def test_outputs_have_every_size() -> None:
    """0.2 to 20 kB."""
    sizes = [len(work.arguments.get("output", "")) for work in WORK.observations]
    tools = [size for size in sizes if size]
    assert min(tools) < 400
    assert max(tools) > 18_000


def test_the_halves_share_no_words() -> None:
    """No template, part, person, word, log line or question is in both."""
    assert not _sayings(SEEN) & _sayings(UNSEEN)


def test_the_same_seed_makes_the_same_work() -> None:
    """And another one other work."""
    assert make_work((UNSEEN,), 7, 600) == make_work((UNSEEN,), 7, 600)
    assert make_work((UNSEEN,), 8, 600) != make_work((UNSEEN,), 7, 600)


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _sayings(half: Half) -> set[str]:
    moments = (text for each in half.moments for text in (each.says, each.holds, each.asks))
    parts = (text for each in half.parts for text in (each.name, each.path, each.called))
    listed = (*half.projects, *half.people, *half.words, *half.logs, *half.talk)
    given = (_text(arguments) for _, arguments in half.routine)
    return {*moments, *parts, *listed, *given}
