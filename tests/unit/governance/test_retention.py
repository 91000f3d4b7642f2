"""Retention: what goes, what stays of it, and that it is gone."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import msgspec
import pytest

from recollect.core.clock import DAY_MS
from recollect.core.errors import InvalidInput, NotFound, StoreFull
from recollect.core.events import MessagesPruned, SessionPruned
from recollect.core.scope import Scope
from recollect.governance import removal, retention
from recollect.governance.retention import PruneProgress
from recollect.governance.sweep import is_unswept
from recollect.sessions.context.episode import episodes_of
from recollect.sessions.mirror.mirror_file import MirrorState
from recollect.store.journal import events_since
from recollect.store.recognised import add_recognised, find_recognised
from recollect.store.sqlite.home import TRANSCRIPTS
from tests.unit.governance.kept_home import KeptHome


def test_without_caps_nothing_goes(home: KeptHome) -> None:
    """As it is installed."""
    session = home.talk("plum", 4, days_ago=9_000)
    report = home.retention().prune()
    assert (report.sessions, report.messages, report.is_clean) == (0, 0, True)
    assert home.seqs(session) == [1, 2, 3, 4]


def test_sessions_above_the_number_go_the_longest_unused_first(home: KeptHome) -> None:
    """And what is told of them agrees with a dry run."""
    old, middle, new = (
        home.talk(word, 4, days_ago=n) for word, n in (("a", 3), ("b", 2), ("c", 1))
    )
    dry = home.retention(max_sessions=1).preview()
    assert home.seqs(old) == [1, 2, 3, 4]
    report = home.retention(max_sessions=1).prune()
    assert msgspec.structs.replace(report, dry_run=True) == dry
    assert set(report.session_ids) == {old, middle}
    assert (report.sessions, report.messages) == (2, 8)
    assert report.by_reason["sessions"].bytes == report.bytes > 8 * len("ax1 was said here.")
    assert [session.id for session in home.sessions.list()] == [new]
    with pytest.raises(NotFound):
        home.sessions.get(old)


def test_sessions_that_are_too_old_go(home: KeptHome) -> None:
    """Counted from their last message."""
    old, new = home.talk("old", 2, days_ago=31), home.talk("new", 2, days_ago=29)
    report = home.retention(days=30).prune()
    assert (report.session_ids, list(report.by_reason)) == ((old,), ["age"])
    assert home.seqs(new) == [1, 2]


def test_a_long_session_loses_its_oldest_turns(home: KeptHome) -> None:
    """What stays keeps its seq; the next message follows."""
    session = home.talk("long", 10)
    report = home.retention(max_messages=5).prune()
    assert (report.cut_ids, report.messages, report.sessions) == ((session,), 6, 0)
    assert home.seqs(session) == [7, 8, 9, 10]
    found = home.sessions.get(session)
    assert (found.message_count, found.pruned_seq, found.last_seq) == (4, 6, 10)
    assert home.sessions.append(session, "user", "more").seq == 11
    assert home.sessions.messages(session, 2, after_seq=0)[0].seq == 7
    assert home.retention(max_messages=5).prune().messages == 0


def test_numbers_of_what_went_are_not_given_again(home: KeptHome) -> None:
    """docs/retention.md: neither a message's nor an episode's."""
    home.talk("long", 4)
    home.clock.now += 3 * 86_400_000
    home.retention(days=1).prune()
    session = home.talk("next", 1)
    (newest,) = home.sessions.messages(session)
    assert newest.number == 5
    home.clock.now += 3 * 86_400_000
    home.retention(days=1).prune()
    kept = home.records.read(lambda tx: tx.all("SELECT number FROM episodes ORDER BY id"))
    assert kept == [(1,), (2,)]


def test_a_tool_call_stays_with_its_result(home: KeptHome) -> None:
    """The rows of both, too."""
    session = home.sessions.create().id
    call = [{"type": "tool_use", "id": "c1", "name": "ls", "input": {}}]
    result = [{"type": "tool_result", "tool_use_id": "c1", "content": "plums"}]
    said = [("user", "look"), ("assistant", call), ("user", "well?"), ("user", result)]
    home.sessions.append_many(session, [*said, ("assistant", "done"), ("user", "thanks")])
    assert home.retention(max_messages=4).preview().messages == 4
    assert home.retention(max_messages=5).prune().messages == 1
    assert home.seqs(session) == [2, 3, 4, 5, 6]
    (kept,) = home.sessions.tool_calls(session)
    assert (kept.tool_name, kept.result_text) == ("ls", "plums")
    home.retention(max_messages=3).prune()
    assert (home.seqs(session), home.sessions.tool_calls(session)) == ([6], ())


def test_what_went_is_in_no_file_and_not_found(home: KeptHome) -> None:
    """Records, index, mirrors, logs: not a byte; what stayed is everywhere."""
    gone = home.talk("quince", 40, days_ago=2)
    cut = home.talk("medlar", 400, days_ago=1)
    stays = home.talk("damson", 40)
    home.mirror.flush()
    home.index.catch_up()
    assert len(home.found("quincex7")) == len(home.found("medlarx7")) == 1
    (home.path / TRANSCRIPTS / f"{cut}.jsonl.torn").write_text("medlarx1 torn", encoding="utf-8")
    kept = home.retention(max_sessions=2, max_messages=100, episode_tokens=0)
    report = kept.prune()
    assert (report.session_ids, report.cut_ids) == ((gone,), (cut,))
    assert (report.is_clean, report.warnings) == (True, ())
    assert home.found("quincex7") == home.found("medlarx7") == []
    assert len(home.found("damsonx7")) == len(home.found("medlarx399")) == 1
    assert sorted(p.name for p in (home.path / TRANSCRIPTS).iterdir()) == sorted(
        f"{id_}.jsonl" for id_ in (cut, stays)
    )
    assert home.mirror.heal_all() == {MirrorState.EQUAL: 2}
    home.close()
    assert [home.files_with(f"quincex{n} ") for n in range(1, 41)] == [[]] * 40
    assert [home.files_with(f"medlarx{n} ") for n in range(1, 301)] == [[]] * 300
    assert "records.db" in home.files_with("medlarx399 ")


def test_an_episode_stays_of_what_went(home: KeptHome) -> None:
    """Short, with its time and its topics, for whoever may see the session."""
    session = home.sessions.create(project="tea").id
    said = "We decided to move the launch of the teapot shop to the fourteenth of May."
    home.sessions.append_many(session, [("user", said), ("assistant", "Noted.")] * 10)
    home.retention(max_messages=4).prune()
    home.retention(Scope(project="tea"), days=1)
    (episode,) = home.records.read(lambda tx: episodes_of(tx, Scope(project="tea"), session))
    assert (episode.message_count, episode.project) == (16, "tea")
    assert "fourteenth of May" in episode.summary
    assert {"launch", "teapot"} <= set(episode.topics)
    assert episode.began_at <= episode.ended_at <= episode.created_at
    assert home.records.read(lambda tx: episodes_of(tx, Scope(project="x"), session)) == []


def test_events_tell_what_went(home: KeptHome) -> None:
    """With counts and without texts."""
    gone, cut = home.talk("a", 2, days_ago=1), home.talk("b", 6)
    home.retention(max_sessions=1, max_messages=4).prune()
    events = [found.event for found in home.records.read(lambda tx: events_since(tx, 0))][-2:]
    now = home.clock.now
    assert events == [
        SessionPruned(scope=Scope(session=gone), at=now, reason="sessions", messages=2),
        MessagesPruned(scope=Scope(session=cut), at=now, through_seq=2, count=2),
    ]


def test_what_a_fork_reads_stays(home: KeptHome) -> None:
    """Its parent as a whole, and the parent's parent; the receipt says so."""
    root = home.talk("root", 6, days_ago=9)
    branch = home.sessions.fork(root, 4)
    home.sessions.append(branch.id, "user", "on", at=home.clock.now - 8 * DAY_MS)
    leaf = home.sessions.fork(branch.id, 5)
    home.sessions.append(leaf.id, "user", "now")
    report = home.retention(max_sessions=1, max_messages=3).prune()
    assert (report.sessions, report.kept_for_forks) == (0, tuple(sorted([root, branch.id])))
    assert home.seqs(leaf.id) == [1, 2, 3, 4, 5, 6]


def test_a_fork_that_shares_nothing_frees_its_parent(home: KeptHome) -> None:
    """It stays, without one."""
    root = home.talk("root", 4, days_ago=3)
    leaf = home.sessions.fork(root, 0).id
    home.sessions.append(leaf, "user", "mine")
    after = home.sessions.create(key="k")
    home.sessions.reset("k")
    home.clock.now += 10
    assert home.retention(days=1).prune().session_ids == (root,)
    found = home.sessions.get(leaf)
    assert (found.parent_id, found.forked_at_seq, home.seqs(leaf)) == (None, None, [1])
    assert home.sessions.get(after.id).status == "archived"


def test_a_fork_that_is_cut_lets_go_of_what_it_shared(home: KeptHome) -> None:
    """Then the parent can go; a fork of the rest sees the rest."""
    root = home.talk("root", 4, days_ago=9)
    leaf = home.sessions.fork(root).id
    home.sessions.append_many(leaf, [("user", f"leaf {n}") for n in range(6)])
    report = home.retention(max_sessions=1, max_messages=2).prune()
    assert (report.cut_ids, report.session_ids, report.kept_for_forks) == ((leaf,), (root,), ())
    assert home.seqs(leaf) == [9, 10]
    second = home.sessions.fork(leaf)
    assert home.seqs(second.id) == [9, 10]
    with pytest.raises(InvalidInput):
        home.sessions.fork(leaf, 5)
    assert home.sessions.get(leaf).parent_id is None
    assert home.seqs(leaf) == home.seqs(second.id) == [9, 10]


def test_forks_go_before_what_they_share(home: KeptHome) -> None:
    """In one run."""
    root = home.talk("root", 4, days_ago=9)
    leaf = home.sessions.fork(root)
    home.clock.now += 20 * DAY_MS
    assert home.retention(days=5).prune().session_ids == (leaf.id, root)
    assert home.sessions.list() == []


def test_a_session_that_is_held_stays(home: KeptHome) -> None:
    """It is in use, whatever its age."""
    old, long = home.talk("old", 2, days_ago=9), home.talk("long", 9)
    with home.sessions.hold(old), home.sessions.hold(long):
        report = home.retention(days=5, max_messages=3).prune()
    assert report.kept_in_use == tuple(sorted([old, long]))
    assert (report.sessions, report.messages) == (0, 0)


def test_a_session_that_grew_since_the_plan_stays(home: KeptHome) -> None:
    """What was said meanwhile is not lost."""
    old, long = home.talk("old", 2, days_ago=9), home.talk("long", 9)
    kept = home.retention(days=5, max_messages=3)
    home.writer.meanwhile = lambda session_id: home.sessions.append(session_id, "user", "wait!")
    report = kept.prune()
    assert (report.changed, report.messages) == ((old, long), 0)
    assert (home.seqs(old), len(home.seqs(long))) == ([1, 2, 3], 10)


def test_a_session_that_was_forked_or_taken_since_the_plan_stays(home: KeptHome) -> None:
    """Or that another process removes just now."""
    old, long = home.talk("old", 2, days_ago=9), home.talk("long", 9)
    kept = home.retention(days=5, max_messages=3)
    home.writer.meanwhile = home.sessions.fork
    assert kept.prune().changed == (old, long)
    held = home.talk("held", 2, days_ago=9)
    kept = home.retention(days=5)
    home.writer.meanwhile = home.sessions.hold
    report = kept.prune()
    assert (report.changed, report.kept_for_forks) == ((held,), (old,))
    twice = home.talk("twice", 2, days_ago=9)
    kept = home.retention(days=5)
    home.writer.meanwhile = lambda _: home.retention(days=5).prune()
    assert kept.prune().changed == (twice,)


def test_only_the_sessions_of_the_scope_count_and_go(home: KeptHome) -> None:
    """Of another agent nothing goes."""
    mine = [home.sessions.create(key=f"agent:a:telegram:x:direct:{n}").id for n in range(3)]
    other = home.sessions.create(key="agent:b:telegram:x:direct:1").id
    report = home.retention(Scope(agent="a"), max_sessions=2).prune()
    assert report.sessions == 1
    assert set(report.session_ids) < set(mine)
    assert home.sessions.get(other).id == other


def test_a_run_that_stopped_is_finished_by_the_next(
    home: KeptHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between any two batches; nothing is told twice, and nobody sees half of it."""
    monkeypatch.setattr(removal, "MESSAGES_AT_ONCE", 10)
    gone, cut = home.talk("gone", 35, days_ago=9), home.talk("cut", 45)
    kept = home.retention(days=5, max_messages=10)
    answers = iter([False] * 4)
    report = kept.prune(stopping=lambda: next(answers, True))
    assert (report.sessions, report.is_clean) == (1, False)
    assert home.seqs(gone) == []
    assert home.sessions.get(gone).status == "deleted"
    steps: list[PruneProgress] = []
    report = home.retention(days=5, max_messages=10).prune(steps.append)
    assert report.is_clean
    assert [session.id for session in home.sessions.list()] == [cut]
    assert len(home.seqs(cut)) <= 10
    kinds = [type(found.event) for found in home.records.read(lambda tx: events_since(tx, 0))]
    assert (kinds.count(SessionPruned), kinds.count(MessagesPruned)) == (1, 1)
    assert home.records.read(lambda tx: tx.row("SELECT 1 FROM prunings")) is None


def test_a_run_that_is_stopped_leaves_the_other_sessions(home: KeptHome) -> None:
    """They are not counted as done, and nothing is swept before everything is removed."""
    old = [home.talk(f"w{n}", 2, days_ago=20 - n) for n in range(3)]
    answers, steps = iter([False, False]), list[PruneProgress]()
    report = home.retention(days=5).prune(steps.append, lambda: next(answers, True))
    assert (report.session_ids, report.messages) == ((old[0],), 2)
    assert (report.is_clean, report.warnings) == (False, ())
    assert steps == [PruneProgress(done=1, total=3)]
    assert {session.id for session in home.sessions.list()} == set(old[1:])


def test_a_daily_run_that_is_stopped_comes_again_the_same_day(home: KeptHome) -> None:
    """It has not looked at everything yet."""
    home.talk("old", 2, days_ago=9)
    kept = home.retention(days=5)
    stopped = kept.prune_daily(lambda: True)
    assert stopped is not None
    assert stopped.sessions == 0
    report = kept.prune_daily()
    assert report is not None
    assert (report.sessions, report.is_clean) == (1, True)
    assert kept.prune_daily() is None


def test_a_session_somebody_writes_to_while_it_goes_lives_on(
    home: KeptHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what was said since, which is found although the index looked at it too early."""
    monkeypatch.setattr(removal, "MESSAGES_AT_ONCE", 10)
    gone = home.talk("gone", 35, days_ago=9)
    answers = iter([False] * 3)
    home.retention(days=5).prune(stopping=lambda: next(answers, True))
    home.sessions.append(gone, "user", "still here")
    home.index.sync()
    home.retention().prune()
    assert (home.seqs(gone), home.sessions.get(gone).status) == ([36], "active")
    home.index.sync()
    assert home.found("still") == ["still here"]


def test_the_daily_run_comes_once_a_day(home: KeptHome) -> None:
    """Only where there is a cap, or something is unfinished."""
    home.talk("old", 2, days_ago=9)
    assert home.retention().prune_daily() is None
    kept = home.retention(days=5)
    report = kept.prune_daily()
    assert report is not None
    assert report.sessions == 1
    assert kept.prune_daily() is None
    assert home.retention(days=5).prune_daily() is None
    other = home.retention(Scope(agent="a"), days=5)
    assert other.prune_daily() is not None
    home.clock.now += DAY_MS
    assert kept.prune_daily() is not None


def test_what_was_recognised_in_an_idle_session_is_forgotten_by_age(home: KeptHome) -> None:
    """One that was imported never ends; no cap is needed, and a fresh one keeps what it knows."""
    old, new = home.talk("old", 2, days_ago=31), home.talk("new", 2, days_ago=29)
    for session in (old, new):
        home.records.write(partial(add_recognised, session=session, lines=["a"]))
    kept = home.retention()
    assert kept.prune_daily() is None
    left = [home.records.read(partial(find_recognised, session=s, since=0))[1] for s in (old, new)]
    assert left == [[], ["a"]]
    home.clock.now += 2 * DAY_MS
    kept.prune_daily()
    assert home.records.read(lambda tx: find_recognised(tx, new, 0)) == (0, [])


def test_a_large_database_is_left_to_somebody_who_asks(
    home: KeptHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writers must not wait for the background."""
    home.talk("old", 2, days_ago=9)
    monkeypatch.setattr(retention, "LARGEST_BYTES", 1_000)
    report = home.retention(days=5).prune_daily()
    assert report is not None
    assert (report.sessions, report.is_clean) == (1, False)
    assert "run `recollect prune`" in report.warnings[0]
    assert home.retention().prune().is_clean


def test_what_cannot_be_cleaned_now_is_told_and_tried_again(
    home: KeptHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mark stays, and the next day's run comes for it alone."""
    home.talk("old", 2, days_ago=9)

    def full() -> bool:
        raise StoreFull("no space is left on the device", hint="free some")

    with monkeypatch.context() as patched:
        patched.setattr(home.records, "rewrite", full)
        report = home.retention(days=5).prune()
    assert (report.sessions, report.is_clean) == (1, False)
    assert report.warnings == (
        "something that was removed may be left: no space is left on the device",
    )
    assert home.records.read(is_unswept)
    home.clock.now += DAY_MS
    again = home.retention().prune_daily()
    assert again is not None
    assert again.is_clean
    assert not home.records.read(is_unswept)


def test_a_reader_in_the_way_of_the_log_is_told(home: KeptHome) -> None:
    """It ends some time; the next run cuts the log."""
    home.talk("old", 2, days_ago=9)
    begun, ended = threading.Event(), threading.Event()

    def read() -> None:
        def unit(tx: object) -> None:
            tx.row("SELECT count(*) FROM messages")  # type: ignore[attr-defined]
            begun.set()
            ended.wait(20.0)

        home.records.read(unit)

    reader = threading.Thread(target=read)
    reader.start()
    begun.wait(20.0)
    report = home.retention(days=5).prune()
    ended.set()
    reader.join()
    assert not report.is_clean
    assert "a reader keeps a log" in report.warnings[0]
    assert home.retention().prune().is_clean


def test_an_index_that_cannot_take_it_in_is_told(
    home: KeptHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is due to be rebuilt."""
    home.talk("old", 2, days_ago=9)
    monkeypatch.setattr(home.index, "catch_up", lambda: False)
    report = home.retention(days=5).prune()
    assert "recollect sync" in report.warnings[0]
    assert not report.is_clean


def test_copies_out_of_reach_are_named(home: KeptHome) -> None:
    """Backups before a migration, and indexes of other agents."""
    home.talk("old", 2, days_ago=9)
    (home.path / "agents" / "x").mkdir(parents=True)
    for name in ("records.db.before-0004", "agents/x/index.db"):
        (home.path / name).touch()
    report = home.retention(days=5).prune()
    assert [warning.split(" may")[0] for warning in report.warnings] == [
        "index.db of x",
        "records.db.before-0004 of home",
    ]


def test_mirrors_of_an_earlier_time_are_cut_too(tmp_path: Path) -> None:
    """Where none are kept any more; nothing else is written."""
    home = KeptHome(tmp_path / "home", mirrored=False)
    gone, cut, plain = (home.talk(w, 8, days_ago=n) for w, n in (("a", 9), ("b", 1), ("c", 0)))
    home.retention(days=5).prune()
    folder = home.path / TRANSCRIPTS
    assert not folder.exists()
    folder.mkdir(mode=0o700)
    for id_ in (gone, cut):
        (folder / f"{id_}.jsonl").write_text('{"recollect":1}\nbx1', encoding="utf-8")
    home.retention(max_messages=2).prune()
    assert [path.name for path in folder.iterdir()] == [f"{cut}.jsonl"]
    assert "bx1" not in (folder / f"{cut}.jsonl").read_text("utf-8")
    assert home.seqs(plain) == [7, 8]
    home.close()


def test_the_outbox_forgets_messages_that_are_gone(home: KeptHome) -> None:
    """A rebuild reads what is there, and a copy of the index learns what went."""
    home.talk("old", 6, days_ago=9)
    kept = home.talk("new", 2)
    home.retention(days=5).prune()
    rows = home.records.read(
        lambda tx: tx.all(
            "SELECT op, count(*) FROM changes WHERE kind = 'message' GROUP BY op ORDER BY op"
        )
    )
    assert rows == [("delete", 6), ("put", 2)]
    home.index.rebuild()
    assert len(home.found("said", ("sessions",))) == len(home.seqs(kept)) == 2
