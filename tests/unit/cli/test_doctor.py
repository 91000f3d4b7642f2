"""`recollect doctor`: finds what is wrong, mends what can be mended, and says which is which."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw  # noqa: TID251  # damages what none of our writers would
import msgspec
import pytest

import recollect
from recollect.cli.doctor import checks
from recollect.core.clock import SystemClock
from recollect.core.settings import StoreSettings
from recollect.core.settings.environment import surroundings
from recollect.index.embedding.batch_health import BatchHealth, note_failure
from recollect.server.presence import PRESENCE_FILE, PROTOCOL, SERVE_LOCK, Presence
from recollect.store.locks import OwnerLock
from recollect.store.sqlite import damaged
from recollect.store.sqlite.damaged import is_open_elsewhere
from recollect.store.sqlite.database import open_index
from tests.support.served import serving
from tests.unit.cli.conftest import Done, Run

NAMES = [
    "software",
    "settings",
    "home",
    "disk",
    "records.db",
    "index.db",
    "mirrors",
    "index",
    "rows",
    "knowledge",
    "vectors",
    "engines",
    "checkpoints",
    "locks",
    "worker",
    "spool",
    "agents",
    "workspace",
    "sharing",
    "owner",
    "notes",
    "capture",
    "channels",
    "model",
    "language",
]


def _state(done: Done) -> dict[str, str]:
    return {check["name"]: check["state"] for check in done.json["checks"]}


def _check(done: Done, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in done.json["checks"] if each["name"] == name)
    return found


def test_a_healthy_home_is_told_healthy(run: Run, filled: Path) -> None:
    """A missing model is no illness."""
    done = run("--home", filled, "doctor", "--json")
    assert (done.code, done.json["healthy"]) == (0, True)
    assert list(_state(done)) == NAMES
    assert {name for name, state in _state(done).items() if state != "ok"} == {"vectors", "model"}
    assert _check(done, "vectors")["hint"] == "run `recollect models install`"


def test_people_see_a_mark_for_each_check(run: Run, filled: Path) -> None:
    """And the verdict at the end."""
    lines = run("--home", filled, "doctor").out.splitlines()
    assert lines[0].startswith("✓ software     recollect ")
    assert any(line.startswith("• model") for line in lines)
    assert lines[-1] == "healthy"


@pytest.fixture
def noted(filled: Path) -> dict[str, str]:
    """Sessions that were flushed, by key: one without an account, and two of people."""
    overrides = {"sessions.owner": ["telegram:42", "slack:U7"], "embedding.provider": "none"}
    made = {}
    with recollect.open(filled, overrides=overrides, live=False) as memory:
        for key in ("notes", "telegram:42", "slack:U7"):
            session = memory.sessions.create(key=key, owner=key == "notes")
            for said in (f"I prefer tea from {key}.", f"I never eat nuts from {key}."):
                memory.sessions.append(session.id, "user", said)
            assert memory.sessions.flush(session.id).lines == 2
            made[key] = session.id
    return made


def test_notes_of_guests_are_found_with_their_sources(
    run: Run, filled: Path, workspace: Path, noted: dict[str, str]
) -> None:
    """As flushes wrote them before; a line that is removed is told no more."""
    file = max((workspace / "memory").iterdir())

    def told() -> tuple[str, str]:
        found = _check(run("--home", filled, "doctor", "--json"), "notes")
        return found["state"], found["detail"].replace(f"memory/{file.name}", "FILE")

    first, second = noted["telegram:42"], noted["slack:U7"]
    assert told() == ("note", f"FILE:5,6 from session {first}; FILE:7,8 from session {second}")
    run("--home", filled, "config", "set", "sessions.owner", "telegram:42")
    assert told() == ("note", f"FILE:7,8 from session {second}")
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:-1]))
    assert told() == ("note", f"FILE:7 from session {second}")
    file.write_text("".join(lines[:-2]))
    assert told() == ("ok", "nothing of guests in them")
    file.unlink()
    assert told() == ("ok", "nothing of guests in them")


def test_chats_without_an_owner_are_told(run: Run, filled: Path) -> None:
    """By doctor and status, with what to do; imported ones of unknown origin are counted."""
    assert _check(run("--home", filled, "doctor", "--json"), "owner")["detail"] == (
        "no owner is named, and none is needed; 1 imported session of unknown origin"
    )
    run("--home", filled, "sessions", "start", "--key", "telegram:42")
    run("--home", filled, "sessions", "start", "--key", "agent:main:telegram:group:-100")
    found = _check(run("--home", filled, "doctor", "--json"), "owner")
    assert found["state"] == "note"
    assert found["detail"].startswith("1 chat with people, and no owner is named;")
    assert "recollect config set sessions.owner telegram:42" in found["hint"]
    status = run("--home", filled, "status")
    assert "warning: 1 chat with people, and no owner is named: name your own" in status.err
    run("--home", filled, "config", "set", "sessions.owner", "telegram:42")
    found = _check(run("--home", filled, "doctor", "--json"), "owner")
    assert (found["state"], found["detail"].partition(";")[0]) == ("ok", "1 account named")
    assert "no owner" not in run("--home", filled, "status").err
    assert run("--home", filled, "status", "--json").json["unowned"] == 0


@pytest.fixture
def mirror(filled: Path) -> Path:
    """The mirror of the one session."""
    return next((filled / "transcripts").glob("*.jsonl"))


@pytest.mark.parametrize("how", ["altered", "torn", "behind"])
def test_a_mirror_that_differs_is_wrong_and_healed(
    run: Run, filled: Path, mirror: Path, how: str
) -> None:
    """From the database, which is the truth."""
    sound = mirror.read_bytes()
    if how == "altered":
        mirror.write_bytes(sound.replace(b"Thursdays", b"Fridayss."))
    elif how == "torn":
        mirror.write_bytes(sound + b'{"seq": 5')
    else:
        mirror.unlink()
    done = run("--home", filled, "doctor", "--json")
    assert (done.code, _state(done)["mirrors"]) == (1, "wrong")
    fixed = run("--home", filled, "doctor", "--fix", "--json")
    assert (fixed.code, fixed.json["healthy"]) == (0, True)
    assert fixed.json["fixed"] == [f"wrote 1 mirror again ({how})"]
    assert mirror.read_bytes() == sound


def test_what_was_mended_is_told_to_people(run: Run, filled: Path, mirror: Path) -> None:
    """Before the checks."""
    mirror.unlink()
    assert "✗ mirrors" in run("--home", filled, "doctor").out
    assert run("--home", filled, "doctor").out.splitlines()[-1] == "1 thing wrong"
    lines = run("--home", filled, "doctor", "--fix").out.splitlines()
    assert lines[:2] == ["fixed  wrote 1 mirror again (behind)", ""]


def test_mirrors_that_are_switched_off_are_not_missed(run: Run, filled: Path, mirror: Path) -> None:
    """Somebody decided that."""
    mirror.unlink()
    run("--home", filled, "config", "set", "sessions.mirror", "false")
    assert _state(run("--home", filled, "doctor", "--json"))["mirrors"] == "ok"


def test_an_index_that_lags_is_noted_and_brought_up(run: Run, filled: Path) -> None:
    """A search would do the same."""
    with recollect.open(filled, overrides={"sessions.mirror": True}) as memory:
        session = memory.sessions.list()[0]
    # Stored by a program that ended at once: nobody has indexed it.
    _append_and_die(filled, session.id)
    done = run("--home", filled, "doctor", "--json")
    assert (_state(done)["index"], done.code) == ("note", 0) or _state(done)["mirrors"] == "wrong"
    fixed = run("--home", filled, "doctor", "--fix", "--json")
    assert fixed.json["healthy"]
    assert any("brought the index up" in sentence for sentence in fixed.json["fixed"])


def _append_and_die(home: Path, session: str) -> None:
    code = (
        "import os, sys, recollect\n"
        "memory = recollect.open(sys.argv[1])\n"
        "memory.sessions.append(sys.argv[2], 'user', 'And one thing more.')\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(home), session], check=True)


def test_an_outdated_index_is_wrong_and_rebuilt(run: Run, filled: Path) -> None:
    """Here because chunks were given another size."""
    run("--home", filled, "config", "set", "chunking.tokens", "200")
    done = run("--home", filled, "doctor", "--json")
    assert (done.code, _state(done)["index"]) == (1, "wrong")
    fixed = run("--home", filled, "doctor", "--fix", "--json")
    assert fixed.json["fixed"] == ["rebuilt the index"]
    assert fixed.json["healthy"]


def test_a_missing_index_is_noted_and_comes_back(run: Run, filled: Path) -> None:
    """It is derived."""
    for path in filled.glob("index.db*"):
        path.unlink()
    done = run("--home", filled, "doctor", "--json")
    assert _check(done, "index.db")["detail"] == "missing"
    assert run("--home", filled, "doctor", "--fix", "--json").json["healthy"]
    assert len(run("--home", filled, "search", "gasket", "--json").json["hits"]) >= 1


def _damage(path: Path, offset: int) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(b"\xff" * 64)


@pytest.mark.parametrize("offset", [0, 100])
def test_a_damaged_index_is_set_aside_and_made_anew(run: Run, filled: Path, offset: int) -> None:
    """Head or page; what needs it is not looked at."""
    _damage(filled / "index.db", offset)
    done = run("--home", filled, "doctor", "--json")
    assert (done.code, _state(done)["index.db"]) == (1, "wrong")
    assert _check(done, "index")["detail"] == "not looked at: see above"
    fixed = run("--home", filled, "doctor", "--fix", "--json")
    assert fixed.json["fixed"][0] == "set the damaged index aside"
    assert fixed.json["healthy"]
    assert (filled / "index.db.damaged").exists()
    assert len(run("--home", filled, "search", "gasket", "--json").json["hits"]) >= 1


def test_damaged_records_are_told_and_never_touched(run: Run, filled: Path) -> None:
    """Only a backup helps; everything that needs them fails with a hint."""
    _damage(filled / "records.db", 0)
    before = (filled / "records.db").read_bytes()
    done = run("--home", filled, "doctor", "--json")
    assert (done.code, _state(done)["records.db"]) == (1, "wrong")
    assert "backup" in _check(done, "records.db")["hint"]
    fixed = run("--home", filled, "doctor", "--fix", "--json")
    assert (fixed.code, fixed.error["code"]) == (1, "store_corrupt")
    assert (filled / "records.db").read_bytes() == before


def test_missing_records_are_wrong(run: Run, filled: Path) -> None:
    """A home without them lost what cannot be rebuilt."""
    for path in filled.glob("records.db*"):
        path.unlink()
    assert _check(run("--home", filled, "doctor", "--json"), "records.db")["state"] == "wrong"


def test_a_config_that_cannot_be_understood_does_not_stop_the_rest(run: Run, filled: Path) -> None:
    """The databases are looked at all the same."""
    (filled / "config.yaml").write_text("search: [", encoding="utf-8")
    done = run("--home", filled, "doctor", "--json")
    assert (done.code, _state(done)["settings"]) == (1, "wrong")
    assert _state(done)["records.db"] == "ok"


def test_a_home_that_others_may_read_is_noted(run: Run, filled: Path) -> None:
    """Shared on purpose, perhaps."""
    filled.chmod(0o750)
    check = _check(run("--home", filled, "doctor", "--json"), "home")
    assert check["state"] == "note"
    assert check["hint"].startswith("chmod go= ")


def test_little_space_is_noted(run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is none."""
    monkeypatch.setattr(checks, "LITTLE_SPACE", 1 << 60)
    assert _check(run("--home", filled, "doctor", "--json"), "disk")["state"] == "note"


def test_a_workspace_that_is_gone_is_wrong(run: Run, filled: Path, workspace: Path) -> None:
    """Its notes would silently be missing."""
    workspace.rename(workspace.with_name("moved"))
    done = run("--home", filled, "doctor", "--json")
    assert _state(done)["workspace"] == "wrong"


def test_a_linked_note_is_noted(run: Run, filled: Path, workspace: Path) -> None:
    """Links are not followed, and that is easily forgotten."""
    (workspace / "memory" / "link.md").symlink_to(workspace / "memory" / "2025-07-14.md")
    assert _check(run("--home", filled, "doctor", "--json"), "workspace")["state"] == "note"


def test_no_workspace_is_fine(run: Run, home: Path) -> None:
    """Conversations are enough."""
    run("--home", home, "init")
    assert _check(run("--home", home, "doctor", "--json"), "workspace")["detail"] == "none"


@pytest.fixture
def reader(filled: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the index open."""
    code = "import sys; held = open(sys.argv[1], 'rb'); print('ready', flush=True); input()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(filled / "index.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    process.communicate("\n")


def test_a_damaged_index_that_another_process_has_open_stays(
    run: Run, filled: Path, reader: subprocess.Popen[str]
) -> None:
    """A database that may be open is never replaced."""
    assert reader.poll() is None
    assert is_open_elsewhere(filled / "index.db")
    assert not is_open_elsewhere(filled / "records.db")
    _damage(filled / "index.db", 0)
    done = run("--home", filled, "doctor", "--fix", "--json")
    assert (done.code, done.error["code"]) == (1, "store_busy")
    assert (filled / "index.db").exists()


def test_where_nobody_can_tell_a_file_counts_as_open(
    filled: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Some systems have no /proc."""
    monkeypatch.setattr(damaged, "PROCESSES", tmp_path / "none")
    assert is_open_elsewhere(filled / "index.db")
    assert os.access(filled / "index.db", os.R_OK)


@pytest.mark.parametrize(
    ("provider", "fallback", "state", "detail"),
    [
        ("openai", "none", "ok", "openai:text-embedding-3-small is configured"),
        ("voyage", "none", "wrong", "the embedding provider voyage needs a key"),
        ("voyage", "openai", "note", "replaces voyage"),
    ],
)
def test_the_provider_that_is_asked_for_is_looked_at(
    run: Run,
    filled: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    provider: str,
    fallback: str,
    state: str,
    detail: str,
) -> None:
    """Not the local model, which nobody asked for."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", provider)
    monkeypatch.setenv("RECOLLECT_EMBEDDING__FALLBACK", fallback)
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    found = _check(run("--home", filled, "doctor", "--json"), "model")
    assert found["state"] == state
    assert detail in found["detail"]


def test_a_language_model_that_lacks_its_key_is_told(
    run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its work is done by rule, which somebody did not want."""
    monkeypatch.setenv("RECOLLECT_LANGUAGE__PROVIDER", "anthropic")
    found = _check(run("--home", filled, "doctor", "--json"), "language")
    assert (found["state"], "by rule" in found["detail"]) == ("wrong", True)
    assert "ANTHROPIC_API_KEY" in found["hint"]


@pytest.mark.model
def test_a_home_with_the_model_has_all_its_vectors(
    run: Run, filled: Path, models_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a sync; before it they are noted as missing."""
    monkeypatch.setenv("RECOLLECT_MODELS", str(models_folder))
    assert _state(run("--home", filled, "doctor", "--json"))["vectors"] == "note"
    fixed = run("--home", filled, "doctor", "--fix", "--json")
    assert set(_state(fixed).values()) == {"ok"}
    assert _check(fixed, "model")["detail"].endswith("its digests are right")


@pytest.mark.model
def test_a_damaged_model_is_wrong(
    run: Run, filled: Path, models_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By its digests."""
    folder = tmp_path / "models" / "all-MiniLM-L6-v2"
    folder.mkdir(parents=True)
    for path in (models_folder / folder.name).iterdir():
        if path.is_file():
            shutil.copyfile(path, folder / path.name)
    sound = (folder / "vocab.txt").read_bytes()
    (folder / "vocab.txt").unlink()
    (folder / "vocab.txt").write_bytes(b"#" + sound[1:])
    check = _check(run("--home", filled, "doctor", "--json"), "model")
    assert check["state"] == "wrong"
    assert "vocab.txt" in check["detail"]


DAMAGE = {
    "orphans": "INSERT INTO vectors VALUES ((1 << 40) + 9000, x'00')",
    "drift": "UPDATE chunks SET text = 'nothing as before'",
    "lost documents": "DELETE FROM documents WHERE source = 'memory'",
    "lost postings": "UPDATE tail SET postings = substr(postings, 1, 4)",
    "cache": "INSERT INTO embedding_spaces VALUES (9, 'a', 'b', 'c');"
    " INSERT INTO embedding_cache VALUES (9, x'00', 9, 0, x'')",
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damaged_rows_are_found_and_mended(run: Run, filled: Path, what: str) -> None:
    """Whatever they are, and the search finds what it found before."""
    before = run("--home", filled, "search", "gasket", "--json").json["hits"]
    connection = apsw.Connection(str(filled / "index.db"))
    connection.execute(DAMAGE[what])
    connection.close()
    done = run("--home", filled, "doctor", "--json")
    assert (done.code, _state(done)["rows"]) == (1, "wrong")
    assert _check(done, "rows")["hint"] == "`recollect doctor --fix`"
    fixed = run("--home", filled, "doctor", "--fix", "--deep", "--json")
    assert (fixed.code, fixed.json["healthy"]) == (0, True)
    assert fixed.json["fixed"]
    after = run("--home", filled, "search", "gasket", "--json").json["hits"]
    assert [hit["ref"] for hit in after] == [hit["ref"] for hit in before]


def test_a_mirror_without_a_session_is_set_aside(run: Run, filled: Path, mirror: Path) -> None:
    """It may be all that is left of one."""
    stray = mirror.with_name("0198a1f9-0000-7000-8000-000000000000.jsonl")
    stray.write_bytes(mirror.read_bytes())
    done = run("--home", filled, "doctor", "--json")
    assert (done.code, _check(done, "mirrors")["detail"]) == (1, "1 without a session")
    fixed = run("--home", filled, "doctor", "--fix", "--json")
    assert fixed.json["fixed"] == ["set 1 mirror without a session aside"]
    assert fixed.json["healthy"]
    assert stray.with_name(stray.name + ".stray").exists()


def test_a_back_end_that_cannot_be_loaded_is_wrong(run: Run, filled: Path, tmp_path: Path) -> None:
    """Memory answers in its place, but that is not what somebody wanted."""
    run("--home", filled, "config", "set", "search.vector.backend", "sqlite-vec")
    run("--home", filled, "config", "set", "search.vector.extension_path", tmp_path / "no.so")
    done = run("--home", filled, "doctor", "--json")
    assert (done.code, _state(done)["engines"]) == (1, "wrong")
    assert "sqlite-vec for vectors" in _check(done, "engines")["detail"]


def test_a_search_command_that_failed_is_noted(run: Run, filled: Path) -> None:
    """The builtin index answers."""
    run("--home", filled, "config", "set", "search.backend", "qmd")
    run("--home", filled, "config", "set", "qmd.command", "/no/such/qmd")
    run("--home", filled, "search", "gasket")
    check = _check(run("--home", filled, "doctor", "--json"), "engines")
    assert (check["state"], check["detail"]) == ("note", "qmd: qmd is not installed")


def test_a_rebuild_that_runs_is_noted(run: Run, filled: Path) -> None:
    """By the process that holds the lock; a dead one holds none."""
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from recollect.core.clock import SystemClock\n"
        "from recollect.index.model.locks import IndexLocks\n"
        "locks = IndexLocks(Path(sys.argv[1]), SystemClock())\n"
        "print(locks.rebuild.acquire('reindex'), flush=True)\n"
        "sys.stdin.read()\n"
    )
    arguments = [sys.executable, "-c", code, str(filled)]
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        check = _check(run("--home", filled, "doctor", "--json"), "locks")
        assert (check["state"], f"process {holder.pid} " in check["detail"]) == ("note", True)
        os.kill(holder.pid, signal.SIGSTOP)
        stopped = _check(run("--home", filled, "doctor", "--json"), "locks")
        os.kill(holder.pid, signal.SIGCONT)
        assert (stopped["state"], "kill -CONT" in stopped["hint"]) == ("wrong", True)
        holder.communicate("")
    assert _state(run("--home", filled, "doctor", "--json"))["locks"] == "ok"


def test_a_note_that_is_not_text_is_noted(run: Run, filled: Path, workspace: Path) -> None:
    """Nobody would find it."""
    (workspace / "memory" / "binary.md").write_bytes(b"\0")
    check = _check(run("--home", filled, "doctor", "--json"), "workspace")
    assert (check["state"], check["detail"]) == ("note", "memory/binary.md: the file is binary")


def test_batches_that_failed_are_noted_and_forgiven(
    run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else they would be left alone for a day."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "openai")
    monkeypatch.setenv("RECOLLECT_EMBEDDING__REMOTE__BASE_URL", "http://127.0.0.1:9/v1")
    failure = BatchHealth(failures=2, last_error="batch_timeout", last_provider="openai")
    index = open_index(filled, StoreSettings(), SystemClock())
    index.write(lambda tx: note_failure(tx, failure))
    index.close()
    told = _check(run("--home", filled, "doctor", "--json"), "engines")
    assert (told["state"], told["detail"]) == ("note", "batches of openai failed (batch_timeout)")
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")
    fixed = run("--home", filled, "doctor", "--fix", "--json").json["fixed"]
    assert "let batches of the embedding provider be used again" in fixed
    assert run("--home", filled, "doctor", "--fix", "--json").json["fixed"] == []


def test_a_worker_that_serves_is_told(
    run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its address; one that the commands of this shell do not use is noted."""
    assert _check(run("--home", filled, "doctor", "--json"), "worker")["detail"] == "none runs"
    with serving(filled) as there:
        found = _check(run("--home", filled, "doctor", "--json"), "worker")
        assert (found["state"], there.address in found["detail"]) == ("ok", True)
        monkeypatch.setenv("RECOLLECT_SEARCH__LIMIT", "3")
        found = _check(run("--home", filled, "doctor", "--json"), "worker")
        assert (found["state"], "other settings" in found["detail"]) == ("note", True)
        assert "recollect serve stop" in found["hint"]


def test_a_worker_that_hangs_is_wrong(run: Run, filled: Path) -> None:
    """Programs wait for it in vain; commands do without it, and only get slower."""
    lock = OwnerLock(filled / SERVE_LOCK, SystemClock())
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        assert lock.acquire("worker")
        there = Presence(
            pid=os.getpid(),
            host="127.0.0.1",
            port=deaf.getsockname()[1],
            protocol=PROTOCOL,
            version="9.9.9",
            started_at=1,
            surroundings=surroundings(),
        )
        (filled / PRESENCE_FILE).write_bytes(msgspec.json.encode(there))
        done = run("--home", filled, "doctor", "--json")
        state = run("--home", filled, "serve", "status")
        lock.release()
    found = _check(done, "worker")
    assert (done.code, found["state"]) == (1, "wrong")
    assert found["detail"] == f"{there.address} does not answer, process {os.getpid()}"
    assert "recollect serve stop" in found["hint"]
    assert state.out.startswith("hangs\n")
    assert "recollect serve stop" in state.err


def test_a_foreign_trigger_is_told_and_removed(run: Run, filled: Path) -> None:
    """Recover does not take it for damage: the rows are there."""
    connection = apsw.Connection(str(filled / "records.db"))
    connection.execute("CREATE TRIGGER evil AFTER INSERT ON messages BEGIN SELECT 1; END")
    connection.close()
    done = run("--home", filled, "doctor", "--json")
    assert _check(done, "records.db")["detail"].endswith("a foreign trigger 'evil'")
    assert "doctor --fix" in _check(done, "records.db")["hint"]
    assert "evil" in run("--home", filled, "recover").err
    done = run("--home", filled, "doctor", "--fix", "--json")
    assert "removed the foreign trigger 'evil' from records.db" in done.json["fixed"]
    assert (done.code, done.json["healthy"]) == (0, True)


def _stale_leaf(home: Path) -> None:
    """Let one page of the index of messages by seq be an older copy of another."""
    connection = apsw.Connection(str(home / "records.db"))
    connection.pragma("journal_mode", "delete")
    found = connection.execute(
        "SELECT pageno FROM dbstat WHERE name = 'sqlite_autoindex_messages_2' AND pagetype = 'leaf'"
        " ORDER BY path"
    ).fetchall()
    connection.close()
    first, last = (int(str(page)) for (page,) in (found[0], found[-1]))
    content = bytearray((home / "records.db").read_bytes())
    content[(first - 1) * 4096 : first * 4096] = content[(last - 1) * 4096 : last * 4096]
    (home / "records.db").write_bytes(content)


def test_nothing_is_repaired_from_records_that_fail_their_check(run: Run, home: Path) -> None:
    """The mirrors are what recover needs."""
    with recollect.open(home, overrides={"embedding.provider": "none"}) as memory:
        one, two = memory.sessions.create(), memory.sessions.create()
        for number in range(200):
            memory.sessions.append(one.id, "user", f"word{number}")
            memory.sessions.append(two.id, "user", f"word{number}")
        memory.sync()
    _stale_leaf(home)
    files = {path: path.read_bytes() for path in (home / "transcripts").iterdir()}
    done = run("--home", home, "doctor", "--json")
    assert done.code == 1
    assert _state(done)["records.db"] == "wrong"
    done = run("--home", home, "doctor", "--fix")
    assert done.code == 1
    assert "nothing is repaired" in done.err
    run("--home", home, "sync")
    assert {path: path.read_bytes() for path in (home / "transcripts").iterdir()} == files
    assert run("--home", home, "recover").code == 0
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        assert [len(memory.sessions.messages(each.id)) for each in (one, two)] == [200, 200]
