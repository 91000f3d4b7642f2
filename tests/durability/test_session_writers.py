"""Many processes append to one session, over the public use cases, while it is forked."""

from __future__ import annotations

import statistics
from pathlib import Path

from recollect.sessions.mirror.mirror_file import MirrorState
from recollect.sessions.record.message_rows import damaged_messages
from tests.durability.processes import Worker, start_at_once, workers
from tests.durability.scale import SCALE, chance, report
from tests.unit.sessions.home import Home

PROCESSES = 8


def test_a_session_of_eight_processes_has_no_gap_and_loses_nothing(tmp_path: Path) -> None:
    """Single messages, streamed ones and forks; the mirror says the same at the end."""
    home, count = tmp_path / "home", SCALE.writes_a_process // 2
    first = Home(home)
    session = first.sessions.create()
    first.close()
    with workers(PROCESSES, "write_session", home, session.id, count) as started:
        start_at_once(started)
        acks = [line.split() for worker in started for line in worker.finish()]
    again = Home(home)
    messages = again.sessions.messages(session.id)
    took = sorted(float(ms) for ms, _, _ in acks)
    report(
        "8 processes in one session",
        acks=len(acks),
        messages=len(messages),
        p50_ms=round(statistics.median(took), 1),
        p99_ms=round(took[int(len(took) * 0.99)], 1),
        max_ms=round(took[-1], 1),
    )
    assert [message.seq for message in messages] == list(range(1, PROCESSES * count + 1))
    assert {(str(m.seq), m.event_id) for m in messages} == {(seq, id_) for _, seq, id_ in acks}
    assert all("unfinished" not in message.metadata for message in messages)
    assert again.database.read(lambda tx: damaged_messages(tx, "", 10_000))[1] == []
    forks = [each for each in again.sessions.list() if each.parent_id is not None]
    assert len(forks) == PROCESSES * sum(number % 10 == 4 for number in range(count))
    for fork in forks:
        seqs = [message.seq for message in again.sessions.messages(fork.id)]
        assert seqs == list(range(1, len(seqs) + 1))
    again.mirror.flush()
    assert again.mirror.state(session.id) is MirrorState.EQUAL
    again.close()


def test_programs_that_start_a_new_id_at_once_get_the_same_session(tmp_path: Path) -> None:
    """Whoever comes second goes on with it; the messages of all stand in it."""
    home, count = tmp_path / "home", SCALE.writes_a_process // 2
    with workers(PROCESSES, "start_sessions", home, count) as started:
        start_at_once(started)
        told = [worker.finish() for worker in started]
    assert len(set(map(tuple, told))) == 1
    again = Home(home)
    sessions = again.sessions.list()
    assert {f"{each.id} {each.created_at}" for each in sessions} == set(told[0])
    assert {each.message_count for each in sessions} == {PROCESSES}
    again.close()
    report("one new id of 8 processes", starts=PROCESSES * count, sessions=len(sessions))


def test_a_killed_stream_leaves_what_was_stored_of_it(tmp_path: Path) -> None:
    """Whole lines, all that a flush acknowledged, marked as unfinished; a retry goes behind it."""
    random, home = chance("streams"), tmp_path / "home"
    first = Home(home)
    session = first.sessions.create()
    first.close()
    lost = 0
    for kill in range(SCALE.kills):
        worker = Worker("stream_until_killed", home, session.id)
        read = [worker.answer() for _ in range(random.randint(1, 30))]
        acked = int([*read, *worker.kill()][-1])
        again = Home(home)
        messages = again.sessions.messages(session.id)
        assert [message.seq for message in messages] == list(range(1, kill + 2))
        assert messages[-1].metadata == {"unfinished": True}
        said = messages[-1].text.splitlines()
        lost += sum(f"line {number} ends" not in said for number in range(acked))
        assert set(said) <= {"line of two pieces", *(f"line {n} ends" for n in range(acked + 1))}
        assert again.database.read(lambda tx: damaged_messages(tx, "", 1_000))[1] == []
        again.mirror.flush()
        assert again.mirror.state(session.id) is MirrorState.EQUAL
        again.close()
    report("killed streams", kills=SCALE.kills, lost=lost)
    assert lost == 0
