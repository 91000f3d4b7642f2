"""The series of the worker: what is measured, how much of it is kept, and that it lasts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import recollect
from recollect.core.errors import StoreClosed
from recollect.memory import Memory
from recollect.server.presence import TOKEN_FILE, Presence
from recollect.server.series import (
    LONG,
    LONG_S,
    SERIES_FILE,
    SHORT,
    SHORT_S,
    Series,
    SeriesAnswer,
    sample_of,
)
from recollect.server.worker.sampling import Sampler, sizes_of
from tests.support.running_server import OVERRIDES, RunningServer
from tests.support.served import serving
from tests.support.wire import Wire, request
from tests.unit.server.client import Client
from tests.unit.sessions.home import HandClock

TURN = LONG_S // SHORT_S


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory for words only."""
    with recollect.open(tmp_path / "home", overrides=OVERRIDES) as opened:
        yield opened


def test_samples_tell_what_came_in_and_how_long_searches_took(memory: Memory) -> None:
    """Issue 25: since the sample before; what was there before the worker counts in none."""
    session = memory.sessions.create().id
    memory.sessions.append(session, "user", "Before the worker.")
    series, clock = Series(), HandClock()
    sampler = Sampler(lambda: memory, series, clock)
    sampler.take()
    memory.sessions.append_many(session, [("user", "One."), ("assistant", "Two.")])
    memory.observations.record(session, summary="We decided on jars.")
    memory.sync()
    for _ in range(4):
        memory.search("jars")
    clock.now += SHORT_S * 1000
    sampler.take()
    sampler.take()
    first, second, third = series.answer().short
    assert (first.captured, first.searches, first.p50_ms) == (0, 0, None)
    assert (second.captured, second.searches, second.backlog) == (3, 4, 0)
    assert second.at - first.at == SHORT_S * 1000
    assert 0 < (second.p50_ms or 0) <= (second.p95_ms or 0)
    assert (third.captured, third.searches) == (0, 0)


def test_a_long_sample_sums_up_the_short_ones_and_is_written(memory: Memory) -> None:
    """Issue 25: every five minutes, with the sizes of the home, which take a walk of it."""
    session = memory.sessions.create().id
    series = Series()
    sampler = Sampler(lambda: memory, series, HandClock())
    for turn in range(TURN):
        if turn in {3, 20}:
            memory.sessions.append(session, "user", f"In turn {turn}.")
            memory.search("turn")
            memory.sync()  # else the background writes the index meanwhile
        sampler.take()
    (whole,) = series.answer().long
    assert (whole.captured, whole.searches, len(series.answer().short)) == (2, 2, TURN)
    assert whole.bytes is not None
    assert whole.bytes.keys() == {"records", "index", "checkpoints", "blobs", "transcripts"}
    assert whole.bytes["records"] >= (memory.home / "records.db").stat().st_size
    assert whole.bytes == sizes_of(memory.home) | {"records": whole.bytes["records"]}
    kept = Series()
    kept.restore(memory.home)
    assert kept.answer() == series.answer()
    assert (memory.home / SERIES_FILE).stat().st_mode & 0o777 == 0o600


def test_series_are_bounded_and_a_damaged_file_is_none(tmp_path: Path) -> None:
    """An hour and two days of samples, about 100 kB; what cannot be read begins anew."""
    series = Series()
    for at in range(2_000):
        series.add(sample_of(at, 10_000, [1_234.56] * 9, 100_000))
        series.add(sample_of(at, 10_000, [1_234.56] * 9, 100_000), is_long=True)
    kept = series.answer()
    assert (len(kept.short), len(kept.long)) == (SHORT, LONG) == (360, 576)
    assert kept.short[-1].at == kept.long[-1].at == 1_999
    series.save(tmp_path)
    assert (tmp_path / SERIES_FILE).stat().st_size < 200_000
    (tmp_path / SERIES_FILE).write_bytes(b'{"short": [{"at": "x"}]')
    damaged = Series()
    damaged.restore(tmp_path)
    damaged.restore(tmp_path / "missing")
    assert damaged.answer() == SeriesAnswer()


def test_a_memory_that_was_opened_again_goes_on(tmp_path: Path) -> None:
    """The pool opens a home again where its settings changed."""
    home, series = tmp_path / "home", Series()
    opened = [recollect.open(home, overrides=OVERRIDES)]
    sampler = Sampler(lambda: opened[-1], series, HandClock())
    sampler.take()
    opened[0].close()
    with pytest.raises(StoreClosed):
        sampler.take()
    opened.append(recollect.open(home, overrides=OVERRIDES))
    session = opened[1].sessions.create().id
    opened[1].sessions.append(session, "user", "After it was opened again.")
    sampler.take()
    assert [each.captured for each in series.answer().short] == [0, 1]
    opened[1].close()


def test_the_worker_goes_on_with_the_samples_of_the_one_before(tmp_path: Path) -> None:
    """Issue 25: they outlive a restart."""
    home = tmp_path / "home"
    home.mkdir(0o700)
    (home / "config.yaml").write_text("embedding: {provider: none}\n")
    earlier = Series()
    earlier.add(sample_of(5, 1, [2.0], 3))
    earlier.save(home)

    def told(presence: Presence) -> SeriesAnswer:
        headers = {
            "host": f"127.0.0.1:{presence.port}",
            "authorization": f"Bearer {(home / TOKEN_FILE).read_text().strip()}",
        }
        wire = Wire(presence.port)
        reply = wire.send(request("GET", "/api/series", headers)).reply()
        wire.close()
        assert reply is not None
        return msgspec.json.decode(reply.body, type=SeriesAnswer)

    with serving(home) as presence:
        assert told(presence) == earlier.answer()
        (home / SERIES_FILE).unlink()
    again = Series()
    again.restore(home)
    assert again.answer() == earlier.answer()


def test_only_the_operator_of_the_home_sees_them(tmp_path: Path) -> None:
    """They are of everybody in it; a server that measures nothing has none."""
    with RunningServer(tmp_path / "home") as server:
        client = Client(server)
        empty = {"short_s": SHORT_S, "short": [], "long_s": LONG_S, "long": []}
        assert client.get("series")[1] == empty
        narrow = client.of("narrow", audience="owner", rights="admin", agent="main")
        guest = client.of("guest", audience="session:agent:main:telegram:direct:7", rights="read")
        assert narrow.get("series")[0] == guest.get("series")[0] == 403
