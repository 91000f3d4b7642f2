"""Recovery: what mirrors that are damaged, old, copied or alone give back, and to whom."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.audience.session_key import UNKNOWN
from recollect.cli.main import main
from recollect.core.clock import SystemClock
from recollect.core.errors import NotFound, SchemaTooNew, StoreBusy
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.exchange.recover import RecoverProgress, RecoverReport, recover
from recollect.memory import Memory
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.mirror.recovery_file import read_recovery_file
from recollect.sessions.record.session import Session
from recollect.store.sqlite import damaged
from recollect.store.sqlite.database import open_records
from recollect.store.sqlite.home import RECORDS_FILE, RECOVERY_FILE, TRANSCRIPTS, find_home_id
from tests.support.leftovers import files_that_hold

ANN = "agent:main:telegram:acc:direct:ann"


@pytest.fixture(autouse=True)
def _own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty HOME, no model."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("RECOLLECT_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the home is."""
    return tmp_path / "home"


def opened(home: Path, **options: Any) -> Memory:
    """Open it for a short time."""
    return recollect.open(home, live=False, **options)


def talk(memory: Memory, *said: str, key: str | None = None) -> Session:
    """Say something in a new session."""
    session = memory.sessions.create(key)
    memory.sessions.append_many(session.id, [("user", word) for word in said])
    return session


def mirror_of(home: Path, session: Session) -> Path:
    """Return where the mirror of a session is."""
    return home / TRANSCRIPTS / f"{session.id}.jsonl"


def again(home: Path) -> RecoverReport:
    """Lose the records and recover them; a dry run says the same."""
    (home / RECORDS_FILE).unlink()
    dry = recover(home, dry_run=True)
    report = recover(home)
    told = {name: getattr(report, name) for name in report.__struct_fields__}
    assert {name: getattr(dry, name) for name in told} == told | {"dry_run": True, "aside": None}
    return report


def texts(memory: Memory, session: Session) -> list[str]:
    """Return what was said in a session."""
    return [message.text for message in memory.sessions.messages(session.id)]


def test_a_damaged_line_costs_itself_alone(home: Path) -> None:
    """It is named, and the file that has it is kept."""
    with opened(home) as memory:
        session = talk(memory, "one", "two", "three", "four")
    path = mirror_of(home, session)
    whole = path.read_bytes()
    damaged = whole.replace(b'"content":"two"', b'"content":"t\xff"').replace(b'"user"', b'"us"', 1)
    damaged += b'{"type":"message","seq":3,"id":"x","role":"user","at":"2026","content":"late"}\n'
    damaged += b'{"type":"compaction","seq":1,"through_seq":2}\n{"recollect":9}\n'
    path.write_bytes(damaged)
    report = again(home)
    assert [line.line for line in report.damaged] == [2, 3, 6, 7, 8]
    assert report.damaged_count == 5
    with opened(home) as memory:
        assert texts(memory, session) == ["three", "four"]
        assert memory.sessions.append(session.id, "user", "on").seq == 5
    (kept,) = path.parent.glob("*.edited")
    assert kept.read_bytes() == damaged


def test_a_session_of_which_nothing_is_known_is_heard_by_no_other(home: Path) -> None:
    """All its own lines are damaged: nobody guesses an audience."""
    with opened(home) as memory:
        session = talk(memory, "the secret otter", key=ANN)
        other = talk(memory, "hello", key="agent:main:main")
    path = mirror_of(home, session)
    path.write_bytes(path.read_bytes().replace(b'{"recollect"', b'{"recolled"'))
    report = again(home)
    assert "no line that says whose they are" in report.warnings[0]
    with opened(home) as memory:
        found = memory.sessions.get(session.id)
        assert (found.chat_type, found.key, found.user) == (UNKNOWN, None, None)
        assert texts(memory, session) == ["the secret otter"]
        assert memory.search("otter", for_session=other.id).hits == []
        assert memory.search("otter").hits


def test_mirrors_of_an_older_format_come_back_with_what_they_say(home: Path) -> None:
    """Without titles and statuses, which the report tells."""
    with opened(home) as memory:
        direct, group = talk(memory, "hello", key=ANN), talk(memory, "all", key="slack:group:C1")
        plain = talk(memory, "nobody knows who heard it")
        memory.sessions.rename(direct.id, "Otters")
    for session in (direct, group, plain):
        path = mirror_of(home, session)
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        known = ("type", "id", "created_at", "tenant", "key", "agent", "user")
        head = {"recollect": 1} | {name: lines[0][name] for name in known if name in lines[0]}
        more = [line for line in lines[1:] if line["type"] == "message"]
        path.write_text("".join(json.dumps(line) + "\n" for line in [head, *more]))
    report = again(home)
    assert (report.sessions, "3 mirrors are of an older format" in report.warnings[0]) == (3, True)
    with opened(home) as memory:
        one, many = memory.sessions.get(direct.id), memory.sessions.get(group.id)
        assert (one.title, one.user, one.chat_type, one.peer) == (
            None,
            "telegram:ann",
            "direct",
            "ann",
        )
        assert (many.mode, many.chat_type) == ("group", "group")
        assert memory.sessions.get(plain.id).chat_type == UNKNOWN


def test_sessions_of_which_nothing_is_left_are_named(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the index, and an imported one with its file; what was erased is not."""
    path = tmp_path / "one.jsonl"
    path.write_text('{"role": "user", "content": "of another program"}\n', encoding="utf-8")
    with opened(home) as memory:
        kept, ours, erased = talk(memory, "kept"), talk(memory, "lost"), talk(memory, "erased")
        memory.import_transcripts(path, "jsonl")
        (imported,) = (each for each in memory.sessions.list() if each.foreign_id)
        memory.sync()
        memory.erase(session_id=erased.id)
    for session in (ours, imported):
        mirror_of(home, session).unlink()
    (home / RECORDS_FILE).unlink()
    for dry_run in (True, False):
        report = recover(home, dry_run=dry_run)
        files = {each.id: each.imported_from for each in report.lost_sessions}
        assert files == {ours.id: (), imported.id: (str(path),)}
        assert (report.lost_sessions_count, report.sessions) == (2, 1)
    with opened(home) as memory:
        assert texts(memory, kept) == ["kept"]
    mirror_of(home, kept).unlink()
    with opened(home) as memory:
        memory.sync()
        talk(memory, "other")
    (home / RECORDS_FILE).unlink()
    assert main(["--home", str(home), "recover"]) == 0
    assert f"session {kept.id}  is lost\n" in capsys.readouterr().err


def test_sound_records_need_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That is no failure: a script may run it after every crash."""
    with opened(home) as memory:
        talk(memory, "one")
    before = (home / RECORDS_FILE).read_bytes()
    for dry_run in (True, False):
        assert recover(home, dry_run=dry_run) == RecoverReport(dry_run=dry_run, reason=None)
    assert main(["--home", str(home), "recover"]) == 0
    assert capsys.readouterr().out == "nothing to recover: records.db is sound\n"
    assert main(["--home", str(home), "recover", "--json"]) == 0
    assert not any(json.loads(capsys.readouterr().out).values())
    assert ((home / RECORDS_FILE).read_bytes(), (home / "aside").exists()) == (before, False)


def test_a_fork_whose_parent_is_lost_keeps_its_own_messages(home: Path) -> None:
    """And says so; what was shared is gone with the parent."""
    with opened(home) as memory:
        parent = talk(memory, "one", "two", "three")
        fork = memory.sessions.fork(parent.id, 2)
        memory.sessions.append(fork.id, "user", "mine")
        later = memory.sessions.fork(parent.id)
    mirror_of(home, parent).unlink()
    report = again(home)
    assert "2 forks lack the messages" in report.warnings[0]
    with opened(home) as memory:
        assert texts(memory, fork) == ["mine"]
        assert memory.sessions.get(fork.id).parent_id is None
        assert memory.sessions.append(fork.id, "user", "on").seq == 4
        assert texts(memory, later) == []
        assert memory.sessions.append(later.id, "user", "on").seq == 4


def numbers(memory: Memory) -> dict[str, int]:
    """Return the numbers of all messages, by what they say."""
    said = (m for each in memory.sessions.list() for m in memory.sessions.messages(each.id))
    return {message.text: message.number for message in said}


def test_numbers_come_back_and_those_of_what_is_gone_do_not(home: Path) -> None:
    """Issue 11.1: a number names one thing for ever, also after an erasure and a recovery."""
    with opened(home) as memory:
        kept, gone = talk(memory, "one", "two"), talk(memory, "three")
        memory.erase(session_id=gone.id)
        assert memory.sessions.append(kept.id, "user", "four").number == 4
        last = talk(memory, "five")
        memory.erase(session_id=last.id)
    again(home)
    with opened(home) as memory:
        assert numbers(memory) == {"one": 1, "two": 2, "four": 4}
        assert memory.sessions.append(kept.id, "user", "six").number == 6
        assert memory.sessions.message("m4").text == "four"


def test_numbers_of_observations_and_episodes_are_not_given_again(home: Path) -> None:
    """Also where nothing was said in the program that used the newest of them."""
    with opened(home) as memory:
        session = talk(memory, "hello").id
    with opened(home) as memory:
        for command in ("ls", "pwd"):
            memory.observations.record(session, "Bash", input=command)
    with opened(home) as memory:
        memory.sessions.end(session)
    again(home)
    with opened(home) as memory:
        assert memory.observations.record(session, "Bash", input="id").number == 3
        memory.sessions.end(session)
        assert [record.record.number for record in memory.get(["e1", "e2"]).found] == [2]


def test_a_pause_that_does_not_come_back_is_told(home: Path) -> None:
    """What was paused is captured again: the report says so, and what a person said of projects."""
    with opened(home) as memory:
        talk(memory, "hello")
        memory.capture.pause()
    report = again(home)
    with opened(home) as memory:
        assert memory.capture.pauses() == []
    assert {"pauses", "aliases and merges of projects"} <= set(report.lost)


def test_a_recovery_file_that_could_not_be_written_is_written_with_the_next_flush(
    home: Path,
) -> None:
    """Also where nothing was stored since."""
    with opened(home) as memory:
        (home / RECOVERY_FILE / "in the way").mkdir(parents=True)
        session = talk(memory, "hello").id
        memory.observations.record(session, "Bash", input="ls")
    shutil.rmtree(home / RECOVERY_FILE)
    records = open_records(home, StoreSettings(), SystemClock())
    TranscriptMirror(home, records).flush()
    records.close()
    facts = read_recovery_file(home)
    assert facts is not None
    assert [(row.kind, row.last) for row in facts.rows.counters] == [("observation", 1)]


def test_a_number_that_two_mirrors_carry_is_given_once(home: Path) -> None:
    """And what has none, as in an older mirror, gets the next ones in the order of recording."""
    with opened(home) as memory:
        first, second = talk(memory, "one", "two"), talk(memory, "three", "four")
    path = mirror_of(home, second)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"number":3', '"number":2').replace(',"number":4', ""))
    again(home)
    with opened(home) as memory:
        assert numbers(memory) == {"one": 1, "two": 2, "three": 3, "four": 4}
        assert memory.sessions.append(first.id, "user", "five").number == 5


def test_a_copy_of_a_mirror_is_left_out(home: Path) -> None:
    """A session is there once."""
    with opened(home) as memory:
        session = talk(memory, "one")
    path = mirror_of(home, session)
    path.with_name("zzz.jsonl").write_bytes(path.read_bytes())
    report = again(home)
    assert (report.sessions, report.messages) == (1, 1)
    assert "1 files are second copies" in report.warnings[0]


def test_sessions_that_share_a_name_without_a_program_are_two(home: Path) -> None:
    """Only a name together with the program that gave it says that one was imported twice."""
    with opened(home) as memory:
        sessions = talk(memory, "one"), talk(memory, "two")
    for session in sessions:
        path = mirror_of(home, session)
        head = path.read_bytes().split(b"\n")[0]
        path.write_bytes(path.read_bytes() + head[:-1] + b',"foreign_id":"s-1"}\n')
    report = again(home)
    assert (report.sessions, report.warnings) == (2, ())


def test_a_link_or_a_folder_with_the_name_of_a_mirror_is_none(home: Path, tmp_path: Path) -> None:
    """What a link leads to may be of another home."""
    with opened(home) as memory:
        session = talk(memory, "one")
    with opened(tmp_path / "other") as memory:
        foreign = mirror_of(tmp_path / "other", talk(memory, "of another home"))
    mirror_of(home, session).with_name(foreign.name).symlink_to(foreign)
    mirror_of(home, session).with_name("folder.jsonl").mkdir()
    assert again(home).sessions == 1


def test_what_was_erased_stays_erased(home: Path, tmp_path: Path) -> None:
    """Its mirror is gone; an import does not bring it back, nor a mirror that was put back."""
    transcript = tmp_path / "said.jsonl"
    line = {"role": "user", "content": "the otter", "session": "s-1", "id": "m-1"}
    transcript.write_text(json.dumps(line) + "\n")
    with opened(home) as memory:
        memory.import_transcripts(transcript, "jsonl")
        (session,) = memory.sessions.list()
    kept = mirror_of(home, session).read_bytes()
    with opened(home) as memory:
        talk(memory, "hello")
        memory.erase(session_id=session.id)
        memory.sync()
    assert not mirror_of(home, session).exists()
    mirror_of(home, session).write_bytes(kept)
    report = again(home)
    assert (report.sessions, report.messages) == (1, 1)
    with opened(home) as memory:
        assert memory.import_transcripts(transcript, "jsonl").messages == 0
        copy = tmp_path / "other" / "said.jsonl"
        copy.parent.mkdir()
        copy.write_bytes(transcript.read_bytes())
        assert memory.import_transcripts(copy, "jsonl").messages == 0
        assert memory.search("otter").hits == []


def test_a_session_that_retention_was_removing_does_not_come_back(home: Path) -> None:
    """Its mirror says that all of it goes, and is not gone yet."""
    with opened(home) as memory:
        session, other = talk(memory, "one", "two"), talk(memory, "three")
    path = mirror_of(home, session)
    line = path.read_bytes().split(b"\n")[0].replace(b'"status":"active"', b'"status":"deleted"')
    path.write_bytes(path.read_bytes() + line[:-1] + b',"pruned_seq":2}\n')
    report = again(home)
    assert (report.sessions, report.messages) == (1, 1)
    with opened(home) as memory:
        assert [each.id for each in memory.sessions.list()] == [other.id]


def test_who_said_it_is_who_hears_it(home: Path) -> None:
    """Senders and turns come back; so do costs, an unfinished answer, and the model of a fork."""
    with opened(home) as memory:
        session = memory.sessions.create(ANN)
        memory.sessions.append(session.id, "user", "hi", sender="telegram:ann", name="Ann")
        call = {"type": "tool_use", "id": "t", "name": "Read", "input": {}}
        usage = {"input_tokens": 5, "output_tokens": 7}
        memory.sessions.append(session.id, "assistant", [call], model="m-1", usage=usage)
        stream = memory.sessions.stream(session.id)
        stream.add("a line\nand half")
        stream.flush()
        fork = memory.sessions.fork(session.id)
        before = [memory.sessions.messages(session.id), memory.sessions.tool_calls(session.id)]
        known = [memory.sessions.get(each.id) for each in (session, fork)]
    again(home)
    with opened(home) as memory:
        after = [memory.sessions.messages(session.id), memory.sessions.tool_calls(session.id)]
        assert after == before
        assert [memory.sessions.get(each.id) for each in (session, fork)] == known


def test_a_home_that_another_program_uses_is_left_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its records must not be moved away under it; a killed recovery is begun again."""
    with opened(home) as memory:
        session = talk(memory, "one")
    (home / RECORDS_FILE).unlink()
    (home / "recovering").mkdir(0o700)
    (home / "recovering" / RECORDS_FILE).write_bytes(b"half")
    with monkeypatch.context() as patched:
        patched.setattr(damaged, "PROCESSES", tmp_path / "none")
        with pytest.raises(StoreBusy):
            recover(home)
    assert not (home / RECORDS_FILE).exists()
    assert recover(home).messages == 1
    assert not (home / "recovering").exists()
    with opened(home) as memory:
        assert texts(memory, session) == ["one"]


def test_what_is_no_damage_is_refused(home: Path, tmp_path: Path) -> None:
    """Records of a newer recollect, and a folder that never was a home."""
    with opened(home) as memory:
        talk(memory, "one")
    with pytest.raises(NotFound, match="no trace"):
        recover(tmp_path / "empty")
    content = bytearray((home / RECORDS_FILE).read_bytes())
    content[60:64] = (999).to_bytes(4)
    (home / RECORDS_FILE).write_bytes(content)
    with pytest.raises(SchemaTooNew):
        recover(home)


def test_without_mirrors_there_is_nothing_to_recover_from(home: Path) -> None:
    """The error says why; those of an earlier time are better than nothing."""
    off = {"sessions.mirror": False}
    with opened(home, overrides=off) as memory:
        session = talk(memory, "one")
        memory.sync()
    (home / "config.yaml").write_text("sessions:\n  mirror: false\n")
    (home / RECORDS_FILE).unlink()
    with pytest.raises(NotFound, match="is off: the home has no"):
        recover(home)
    (home / TRANSCRIPTS).mkdir(0o700)
    line = {"type": "message", "seq": 1, "id": "m", "role": "user", "content": "old"}
    line["at"] = "2026-01-01T00:00:00.000Z"
    mirror_of(home, session).write_text(json.dumps(line) + "\n")
    report = recover(home)
    assert any("was switched off" in warning for warning in report.warnings)
    with opened(home) as memory:
        assert texts(memory, session) == ["old"]


def test_the_recovery_file_is_believed_when_it_can_be_read(home: Path, tmp_path: Path) -> None:
    """A damaged one is as none; it is written again by the next message."""
    transcript = tmp_path / "said.jsonl"
    transcript.write_text('{"role": "user", "content": "the otter", "id": "m-1"}\n')
    with opened(home) as memory:
        memory.import_transcripts(transcript, "jsonl")
    facts = read_recovery_file(home)
    assert facts is not None
    assert facts.imports == 1
    assert (home / RECOVERY_FILE).stat().st_mode & 0o777 == 0o600
    (home / RECOVERY_FILE).write_bytes(b"{")
    assert read_recovery_file(home) is None
    report = again(home)
    assert (report.imports, "recovery.json is missing or damaged" in report.warnings[0]) == (
        0,
        True,
    )
    with opened(home) as memory:
        assert memory.import_transcripts(transcript, "jsonl").messages == 0
        talk(memory, "more")
    written = read_recovery_file(home)
    assert written is not None
    assert written.imports == 1


def test_people_read_what_came_back_and_what_cannot(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counts, where the old file is, what no transcript has, and damaged lines by number."""
    with opened(home) as memory:
        session = talk(memory, *map(str, range(30)))
    path = mirror_of(home, session)
    path.write_bytes(path.read_bytes().replace(b'"role":"user"', b'"role":"nobody"'))
    (home / RECORDS_FILE).write_bytes(b"no database" * 100)
    assert main(["--home", str(home), "recover", "--dry-run"]) == 0
    shown = capsys.readouterr()
    assert "nothing was changed: 1 session, 0 messages would come back" in shown.out
    assert main(["--home", str(home), "recover"]) == 0
    shown = capsys.readouterr()
    assert "recovered  1 session, 0 messages" in shown.out
    assert f"set aside  {home / 'aside'}" in shown.out
    assert "not in any transcript: events, messages pending in groups, episodes, obs" in shown.out
    assert f"{path}:2  cannot be read" in shown.err
    assert "and 10 more; see --json" in shown.err
    assert "recollect sync" in shown.err


def test_a_scope_sees_after_it_what_it_saw_before(home: Path) -> None:
    """The owner of every row is as it was."""
    with opened(home, scope=Scope(tenant="acme")) as memory:
        session = talk(memory, "the otter")
    with opened(home) as memory:
        talk(memory, "the kite")
    again(home)
    with opened(home) as memory:
        assert memory.search("otter").hits == []
        assert memory.search("kite").hits
    with opened(home, scope=Scope(tenant="acme")) as memory:
        assert [hit.session_id for hit in memory.search("otter").hits] == [session.id]


NESTED = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    "told",
    [
        f'"seq":3,"id":"a","role":"user","at":"2026-01-01","content":{NESTED}',
        f'"seq":{1 << 63},"id":"a","role":"user","at":"2026-01-01","content":"late"',
        '"seq":-3,"id":"a","role":"user","at":"2026-01-01","content":"early"',
        '"seq":3,"id":"OTHER","role":"user","at":"2026-01-01","content":"twice"',
    ],
)
def test_a_line_that_cannot_be_right_costs_itself_alone(home: Path, told: str) -> None:
    """Whatever a mirror says, the others come back: too deep, too large, another one's id."""
    with opened(home) as memory:
        other, session = talk(memory, "kite"), talk(memory, "one", "two")
        id_ = memory.sessions.messages(other.id)[0].id
    path = mirror_of(home, session)
    line = '{"type":"message",' + told.replace("OTHER", id_) + "}\n"
    path.write_bytes(path.read_bytes() + line.encode())
    report = again(home)
    assert [damaged.line for damaged in report.damaged] == [4]
    with opened(home) as memory:
        assert texts(memory, session) == ["one", "two"]
        assert texts(memory, other) == ["kite"]


@pytest.mark.parametrize("name", ["pruned_seq", "forked_at_seq", "flushed_seq"])
def test_a_session_with_a_number_that_no_column_takes_is_damaged(home: Path, name: str) -> None:
    """The line before tells what the session is."""
    with opened(home) as memory:
        session = talk(memory, "one", key=ANN)
    path = mirror_of(home, session)
    head = path.read_bytes().split(b"\n")[0]
    path.write_bytes(path.read_bytes() + head[:-1] + b',"%s":%d}\n' % (name.encode(), 1 << 63))
    report = again(home)
    assert [damaged.line for damaged in report.damaged] == [3]
    with opened(home) as memory:
        assert (memory.sessions.get(session.id).user, texts(memory, session)) == (
            "telegram:ann",
            ["one"],
        )


def test_a_summary_that_is_told_twice_comes_back_once(home: Path) -> None:
    """As after an append that was told as failed, and was not."""
    with opened(home) as memory:
        session = talk(memory, "one", "two")
    path = mirror_of(home, session)
    told = {"type": "compaction", "seq": 2, "through_seq": 1, "id": "c", "at": "2026-01-01"}
    told |= {"summary": "One.", "made_by": "hand", "tokens_before": 2, "tokens_after": 1}
    path.write_bytes(
        path.read_bytes() + 2 * (json.dumps(told, separators=(",", ":")) + "\n").encode()
    )
    report = again(home)
    assert (report.compactions, [damaged.line for damaged in report.damaged]) == (1, [5])


def test_forks_of_each_other_are_parted(home: Path) -> None:
    """No reading goes round in a ring."""
    with opened(home) as memory:
        one, two = talk(memory, "one"), talk(memory, "two")
    for session, above in ((one, two), (two, one)):
        path = mirror_of(home, session)
        link = f',"parent_id":"{above.id}","forked_at_seq":0}}\n'
        path.write_bytes(path.read_bytes() + path.read_bytes().split(b"\n")[0][:-1] + link.encode())
    (home / RECORDS_FILE).unlink()
    report = recover(home)
    assert "1 forks lack" in report.warnings[0]
    with opened(home) as memory:
        assert [memory.sessions.get(each.id).parent_id for each in (one, two)].count(None) == 1
        assert (texts(memory, one), texts(memory, two)) == (["one"], ["two"])


def test_a_file_that_is_no_mirror_stops_nothing(home: Path) -> None:
    """Neither a line nor its name tells of which session it is; nor is a source there twice."""
    with opened(home) as memory:
        session = talk(memory, "one")
    path = mirror_of(home, session)
    path.with_name("a note.jsonl").write_text('{"text": "mine"}\n')
    for name in ("second", "third"):
        line = path.read_bytes().split(b"\n")[0].replace(session.id.encode(), name.encode())
        line = line[:-1] + b',"source":"jsonl","foreign_id":"s-1"}\n'
        path.with_name(f"{name}.jsonl").write_bytes(line)
    report = again(home)
    assert report.sessions == 2
    assert "1 files are second copies" in report.warnings[0]
    assert "1 files do not say" in report.warnings[1]


ROW = ["local", "jsonl", "/t.jsonl", None, 1, 1, 1, 1, 1, 0, "AAAA", 1]


@pytest.mark.parametrize(
    "facts",
    [
        {"rows": {"imports": [ROW[:3]]}},
        {"rows": {"imports": [[*ROW, 1]]}},
        {"rows": {"imports": [[None, *ROW[1:]]]}},
        {"rows": {"imports": [[*ROW[:4], "many", *ROW[5:]]]}},
        {"rows": {"imports": [[*ROW[:4], 1 << 63, *ROW[5:]]]}},
        {"rows": {"imports": [[*ROW[:10], "no base64", 1]]}},
        {"rows": {"flushed_notes": [["p", "AAAA", "s", "local", 7, 1]]}},
        {"rows": {"note_folders": [["f", 5, None, None, None, None, None, None]]}},
        {"values": {"redaction.salt": "no number"}},
        {"erased": [["AAAA"]]},
    ],
)
def test_a_recovery_file_that_cannot_be_right_is_as_none(
    home: Path, facts: dict[str, object]
) -> None:
    """Valid JSON, and rows that no table takes: the records come back, and that is said."""
    with opened(home) as memory:
        session = talk(memory, "one")
    (home / RECOVERY_FILE).write_text(json.dumps(facts))
    report = again(home)
    assert "recovery.json is missing or damaged" in report.warnings[0]
    with opened(home) as memory:
        assert texts(memory, session) == ["one"]


def test_a_recovery_file_tells_nothing_else_of_a_home(home: Path) -> None:
    """A row that is there twice counts once, and nobody sets a value that is not told there."""
    with opened(home) as memory:
        talk(memory, "one")
    facts = {"rows": {"imports": [ROW, ROW]}, "values": {"home_id": "another"}}
    (home / RECOVERY_FILE).write_text(json.dumps(facts))
    report = again(home)
    assert report.warnings == ()
    records = open_records(home, StoreSettings(), SystemClock())
    assert records.read(find_home_id) != "another"
    assert records.read(lambda tx: len(tx.all("SELECT 1 FROM imports"))) == 1
    records.close()


def test_what_was_imported_and_has_no_mirror_comes_back_with_its_file(
    home: Path, tmp_path: Path
) -> None:
    """The ledger does not say of a lost session that its file was read; others' stay read."""
    files = [tmp_path / f"{name}.jsonl" for name in ("lost", "kept")]
    for file in files:
        line = {"role": "user", "content": f"the {file.stem} otter", "session": f"s-{file.stem}"}
        file.write_text(json.dumps(line | {"id": f"m-{file.stem}"}) + "\n")
    with opened(home) as memory:
        for file in files:
            memory.import_transcripts(file, "jsonl")
        lost = next(each for each in memory.sessions.list() if each.foreign_id == "s-lost")
    mirror_of(home, lost).unlink()
    report = again(home)
    assert (report.sessions, report.imports) == (1, 1)
    assert "1 imported sessions have no mirror" in report.warnings[0]
    with opened(home) as memory:
        assert [memory.import_transcripts(file, "jsonl").messages for file in files] == [1, 0]
        assert len(memory.search("otter").hits) == 2
    assert again(home).warnings == ()


def test_an_erasure_that_the_lost_records_had_begun_is_finished(home: Path) -> None:
    """The opening after the recovery finishes it: in mirrors, indexes and what was set aside."""
    with opened(home) as memory:
        session, other = talk(memory, "plumword"), talk(memory, "kite")
        memory.sync()
    kept = mirror_of(home, session).read_bytes()
    shutil.copytree(home, home.with_name("before"))
    with opened(home) as memory:
        memory.erase(session_id=session.id)
    mirror_of(home, session).write_bytes(kept)
    for name in (RECORDS_FILE, "index.db"):
        shutil.copy(home.with_name("before") / name, home / name)
    records = bytearray((home / RECORDS_FILE).read_bytes())
    records[:16] = b"no database here"
    (home / RECORDS_FILE).write_bytes(records)
    assert recover(home).sessions == 1
    with opened(home) as memory:
        assert [each.id for each in memory.sessions.list()] == [other.id]
    assert files_that_hold(home, "plumword") == []


def test_two_recoveries_at_once_are_one(home: Path) -> None:
    """The second one finds sound records, and does not put them aside again."""
    with opened(home) as memory:
        talk(memory, "one")
    (home / RECORDS_FILE).unlink()
    found: list[object] = []

    def second() -> None:
        found.append(recover(home))

    threads: list[threading.Thread] = []

    def meanwhile(_: RecoverProgress) -> None:
        if not threads:
            threads.append(threading.Thread(target=second))
            threads[0].start()

    assert recover(home, on_progress=meanwhile).messages == 1
    threads[0].join()
    assert found == [RecoverReport(dry_run=False, reason=None)]


def test_an_interrupted_recovery_leaves_nothing_behind(home: Path) -> None:
    """Ctrl-C while it reads: no half-made records, and the next one brings all back."""
    with opened(home) as memory:
        session = talk(memory, "kite", "lantern")
    (home / RECORDS_FILE).write_bytes(b"no database " * 1_000)
    before = {path.name for path in home.iterdir()}

    def interrupt(progress: RecoverProgress) -> None:
        if progress.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recover(home, on_progress=interrupt)
    assert {path.name for path in home.iterdir()} - before == {"recovering.lock"}
    assert recover(home).messages == 2
    with opened(home) as memory:
        assert texts(memory, session) == ["kite", "lantern"]


def test_lines_of_copies_that_were_set_aside_come_back(home: Path) -> None:
    """A mirror was written again from damaged rows: what it was is beside it, or below aside."""
    with opened(home) as memory:
        one, two = talk(memory, "a", "b", "c", "d"), talk(memory, "e", "f")
        memory.sync()
    mirror, other = mirror_of(home, one), mirror_of(home, two)
    lines = mirror.read_bytes().splitlines(keepends=True)
    mirror.with_name(f"{mirror.name}.0123456789abcdef.edited").write_bytes(b"".join(lines))
    mirror.write_bytes(b"".join([*lines[:2], lines[4]]))
    aside = home / "aside" / "20260101-000000" / TRANSCRIPTS
    aside.mkdir(parents=True)
    other.rename(aside / other.name)
    report = again(home)
    assert (report.messages, report.missing, report.lost_sessions) == (6, (), ())
    with opened(home) as memory:
        assert [each.text for each in memory.sessions.messages(one.id)] == ["a", "b", "c", "d"]
        assert [each.text for each in memory.sessions.messages(two.id)] == ["e", "f"]


def test_mirrors_come_back_from_every_folder_that_was_set_aside(home: Path) -> None:
    """Not from the newest alone."""
    with opened(home) as memory:
        sessions = [talk(memory, "a"), talk(memory, "b")]
        memory.sync()
    for day, session in enumerate(sessions, 1):
        aside = home / "aside" / f"2026010{day}-000000" / TRANSCRIPTS
        aside.mkdir(parents=True)
        mirror_of(home, session).rename(aside / mirror_of(home, session).name)
    report = again(home)
    assert (report.messages, report.lost_sessions) == (2, ())
    with opened(home) as memory:
        assert [texts(memory, session) for session in sessions] == [["a"], ["b"]]


def test_a_home_whose_one_transcript_has_another_name_opens_again(home: Path) -> None:
    """The line in it says of which session it is, and that these records are of this home."""
    with opened(home) as memory:
        session = talk(memory, "one")
        memory.sync()
    mirror_of(home, session).rename(mirror_of(home, session).with_name("renamed.jsonl"))
    assert again(home).messages == 1
    with opened(home) as memory:
        assert texts(memory, session) == ["one"]


def test_a_damaged_line_of_a_copy_is_none_of_the_mirror(home: Path) -> None:
    """The mirror is whole: no line of it is named."""
    with opened(home) as memory:
        path = mirror_of(home, talk(memory, "a"))
    line = path.read_bytes().splitlines(keepends=True)[1]
    other = line.replace(b'"seq":1', b'"seq":2').replace(b'"role":"user"', b'"role":"nobody"')
    path.with_name(f"{path.name}.0123456789abcdef.edited").write_bytes(other)
    report = again(home)
    assert (report.messages, report.damaged) == (1, ())


def test_what_a_damaged_database_held_and_no_mirror_has_is_told(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code says so, also of a dry run."""
    with opened(home) as memory:
        one, two = talk(memory, "a", "b", "c"), talk(memory, "d")
        memory.sync()
    mirror = mirror_of(home, one)
    mirror.write_bytes(b"".join(mirror.read_bytes().splitlines(keepends=True)[:-1]))
    mirror_of(home, two).unlink()
    database = open_records(home, StoreSettings(), SystemClock())
    database.write(lambda tx: tx.execute("UPDATE messages SET text = 'z' WHERE seq = 1"))
    database.close()
    for arguments in (["--dry-run"], []):
        assert main(["--home", str(home), "recover", *arguments]) == 1
        shown = capsys.readouterr()
        assert "2 messages that a file held did not come back" in shown.out + shown.err
    with opened(home) as memory:
        assert [each.text for each in memory.sessions.messages(one.id)] == ["a", "b"]
