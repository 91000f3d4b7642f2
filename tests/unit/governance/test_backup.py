"""A whole home in one file."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

import recollect
from recollect.cli.main import main
from recollect.core.clock import SystemClock
from recollect.core.errors import Conflict, InvalidInput, StoreBusy, StoreCorrupt, StoreError
from recollect.core.events import HomeBackedUp, HomeRestored
from recollect.core.settings.config_file import first_config
from recollect.governance.backup import BackupProgress, is_home_file
from recollect.governance.config_text import without_keys
from recollect.governance.removal import LOCK_FILE
from recollect.memory import Memory
from recollect.store.archive import open_archive
from recollect.store.locks import OwnerLock
from recollect.text.secret_redactor import SecretRedactor

KEY = "sk-ant-api03-" + "q7XzR2mK" * 6
WORDS = {"embedding.provider": "none"}
CONFIG = f"""\
# Mine.
embedding:
  provider: none
  remote:
    api_key: {KEY}
    headers: ["X-Team: {KEY}"]
language:
  headers:
    - "Authorization: Bearer {KEY}"
agents:
  work:
    embedding:
      remote:
        api_key: {KEY}
search:
  limit: 7
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the home is."""
    return tmp_path / "home"


@pytest.fixture
def memory(home: Path, tmp_path: Path) -> Iterator[Memory]:
    """A memory with a workspace."""
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text("# Memory\n\nThe gasket is MAG-4471.\n", "utf-8")
    (workspace / "memory" / "2026-05-04.md").write_text("Thursday.\n", "utf-8")
    (workspace / "notes.txt").write_text("not of the memory\n", "utf-8")
    with recollect.open(home, workspace, overrides=WORDS) as opened:
        session = opened.sessions.create(key="telegram:42", session_id="tea")
        opened.sessions.append(session.id, "user", "The kettle is in the blue box.")
        opened.sync()
        yield opened


def _names(path: Path) -> list[str]:
    with open_archive(path, limit=lambda _: 1 << 30) as archive:
        return sorted(member.name for member in archive.members())


def _content(path: Path) -> bytes:
    with zstandard.open(path) as stream:
        content: bytes = stream.read()
    return content


def test_a_backup_holds_the_home_and_nothing_else(memory: Memory, tmp_path: Path) -> None:
    """No tokens, no worker file, no locks, no memory files; it is private and told as an event."""
    for name in ("token", "worker.json", "notes.txt"):
        (memory.home / name).write_text("for others not", "utf-8")
    (memory.home / "notes" / "a1b2").mkdir(parents=True)
    (memory.home / "notes" / "a1b2" / "2026-05-04.md").write_text("Ann's.\n", "utf-8")
    report = memory.backup(tmp_path / "home.tar.zst")
    path = Path(report.path)
    assert _names(path) == [
        "index.db",
        "notes/a1b2/2026-05-04.md",
        "records.db",
        "transcripts/tea.jsonl",
    ]
    assert b"for others not" not in _content(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert (report.files, report.bytes) == (4, path.stat().st_size)
    assert report.warnings == []
    told = [each.event for each in memory.events.since(0, types=["home.backed_up"])]
    assert [(event.path, event.bytes) for event in told if isinstance(event, HomeBackedUp)] == [
        (str(path), report.bytes)
    ]


def test_keys_and_tokens_come_along_only_on_demand(memory: Memory, tmp_path: Path) -> None:
    """Those of the settings, of agents too; the other settings stay."""
    (memory.home / "config.yaml").write_text(CONFIG, "utf-8")
    (memory.home / "token").write_text(KEY, "utf-8")
    (memory.home / "worker.json").write_text("{}", "utf-8")
    without = memory.backup(tmp_path / "without")
    assert KEY.encode() not in _content(tmp_path / "without")
    assert b"limit: 7" in _content(tmp_path / "without")
    assert len(without.warnings) == 1
    assert not without.secrets
    report = memory.backup(tmp_path / "with", secrets=True)
    assert (report.secrets, report.warnings) == (True, [])
    assert {"token", "worker.json"} <= {*_names(tmp_path / "with")}
    assert _content(tmp_path / "with").count(KEY.encode()) >= 5


def test_settings_without_keys_stay_as_they_are() -> None:
    """Comments too, those of `recollect init` among them."""
    redactor = SecretRedactor(b"salt")
    plain = "# Mine.\nsearch:\n  limit: 7\nembedding:\n  remote:\n    api_key: null\n"
    for text in (plain, first_config(), ""):
        assert without_keys(text, redactor) == text
    assert without_keys("", None) == ""


def test_only_the_lines_of_keys_go() -> None:
    """Of a list all its lines; a comment that holds a key goes as well."""
    left = without_keys(f"{CONFIG}# was: {KEY}\n# Yours.\n", SecretRedactor(b"salt"))
    assert KEY not in left
    assert left.startswith("# Mine.\nembedding:\n  provider: none\n")
    assert left.endswith("search:\n  limit: 7\n# Yours.\n")
    assert KEY not in without_keys(CONFIG, None)


@pytest.mark.parametrize(
    "text",
    [
        f"embedding: {{provider: none, remote: {{api_key: {KEY}, batch_tokens: 99}}}}\n",
        f"embedding: {{provider: none, remote: {{batch_tokens: 99}}}} # was {KEY}\n",
        f"embedding:\n  provider: none\n  remote: {{api_key: {KEY},\n    batch_tokens: 99}}\n",
    ],
)
def test_where_keys_share_a_line_the_other_settings_stay(text: str) -> None:
    """Then all comments go."""
    left = without_keys(text, SecretRedactor(b"salt"))
    assert KEY not in left
    assert "provider: none" in left
    assert "batch_tokens: 99" in left


def test_the_memory_files_come_along_only_on_demand(memory: Memory, tmp_path: Path) -> None:
    """Those that are memory, not the whole folder."""
    report = memory.backup(tmp_path / "with", workspace=True)
    assert report.workspace
    found = [name for name in _names(tmp_path / "with") if name.startswith("workspace/")]
    assert found == ["workspace/MEMORY.md", "workspace/memory/2026-05-04.md"]
    with (
        recollect.open(tmp_path / "other", overrides=WORDS) as other,
        pytest.raises(InvalidInput),
    ):
        other.backup(tmp_path / "none", workspace=True)


def test_a_folder_gets_a_file_with_the_date(memory: Memory, tmp_path: Path) -> None:
    """For a job that runs each night."""
    folder = tmp_path / "nights"
    folder.mkdir()
    report = memory.backup(folder)
    assert [path.name for path in folder.iterdir()] == [Path(report.path).name]
    assert Path(report.path).name.startswith("recollect-20")


def test_a_file_that_is_there_is_kept(memory: Memory, tmp_path: Path) -> None:
    """Unless it is to be replaced; nothing is written into the home itself."""
    target = tmp_path / "mine"
    target.write_text("older", "utf-8")
    with pytest.raises(Conflict):
        memory.backup(target)
    assert target.read_text("utf-8") == "older"
    memory.backup(target, replace=True)
    assert "records.db" in _names(target)
    for inside in (memory.home / "mine", memory.home / "blobs" / ".." / "mine"):
        with pytest.raises(InvalidInput):
            memory.backup(inside)
    with pytest.raises(StoreError):
        memory.backup(tmp_path / "missing" / "mine")


def test_what_fails_leaves_no_file(memory: Memory, tmp_path: Path) -> None:
    """Stopped at each stage, as Ctrl-C does."""
    for stage in ("copying", "packing", "verifying"):

        def stop(report: BackupProgress, stage: str = stage) -> None:
            assert 0 <= report.done <= report.total
            if report.stage == stage:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            memory.backup(tmp_path / "copies.tar", on_progress=stop)
        assert not list(tmp_path.glob("*copies*"))
        assert not list(memory.home.glob("*.part")) + list(memory.home.glob(".*"))


def test_the_size_of_a_backup_is_known_from_the_first_report(
    memory: Memory, tmp_path: Path
) -> None:
    """Databases and other files: a bar that shows it never goes back."""
    packing: list[BackupProgress] = []

    def note(report: BackupProgress) -> None:
        packing.extend([report] if report.stage == "packing" else [])

    report = memory.backup(tmp_path / "mine", workspace=True, on_progress=note)
    assert {each.total for each in packing} == {report.content_bytes}


def test_damaged_records_are_not_backed_up(memory: Memory, tmp_path: Path) -> None:
    """A backup that cannot be restored would hide that they are."""
    memory.sessions.append_many("tea", [("user", "x" * 2_000)] * 200)
    records = memory.home / "records.db"
    memory.close()
    with recollect.open(memory.home, overrides=WORDS) as again:
        size = records.stat().st_size
        script = bytes(size // 3 // 4096 * 4096)
        with records.open("r+b") as file:
            file.seek(size // 3 // 4096 * 4096)
            file.write(script)
        with pytest.raises(StoreCorrupt) as caught:
            again.backup(tmp_path / "mine")
    assert "recollect" in caught.value.hint
    assert not (tmp_path / "mine").exists()


def test_a_damaged_index_is_left_out(memory: Memory, tmp_path: Path) -> None:
    """It is derived; the backup says so, and what is restored finds everything."""
    agents = memory.home / "agents" / "work"
    agents.mkdir(parents=True)
    (agents / "index.db").write_bytes(b"no database " * 1_000)
    report = memory.backup(tmp_path / "mine")
    assert "agents/work/index.db" not in _names(tmp_path / "mine")
    assert len(report.warnings) == 1
    assert "damaged" in report.warnings[0]


def test_a_backup_holds_one_moment_while_programs_write(memory: Memory, tmp_path: Path) -> None:
    """Messages without a gap, an index that knows no more, mirrors that say the same."""
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            memory.sessions.append("tea", "user", "one more cup")
            memory.search("cup")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(4):
            memory.backup(tmp_path / f"{number}.tar")
    finally:
        stop.set()
        writer.join()
    for number in range(4):
        home = tmp_path / f"restored-{number}"
        report = recollect.restore(tmp_path / f"{number}.tar", home)
        assert (report.aside, report.warnings) == (None, [])
        with recollect.open(home, overrides=WORDS, live=False) as restored:
            seqs = [message.seq for message in restored.sessions.messages("tea")]
            assert seqs == list(range(1, len(seqs) + 1))
            assert restored.heal_mirrors() == {"equal": 1}
            assert restored.sync().rebuilt is False
            assert restored.search("kettle").hits[0].seq == 1
            (told,) = restored.events.since(0, types=["home.restored"])
            assert isinstance(told.event, HomeRestored)


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../records.db",
        "records.db/../../x",
        "blobs/../../x",
        "blobs//x",
        "transcripts/.hidden",
        "transcripts/a/b/c",
        "transcripts/a\nb",
        "agents/../index.db",
        "workspace/../x.md",
        "workspace/memory/../../x.md",
        "workspace/memory/./x.md",
        "workspace/memory//x.md",
        "workspace//etc/x.md",
        "workspace/memory/a\0.md",
        "workspace/x.py",
        f"workspace/memory/{'a/' * 1_000}x.md",
        "records.db-wal",
        "",
    ],
)
def test_no_other_file_has_a_place_in_a_home(name: str) -> None:
    """Neither outside of it nor beside what recollect writes."""
    assert not is_home_file(name)


def test_nothing_is_erased_while_a_backup_is_made(memory: Memory, tmp_path: Path) -> None:
    """Its receipt could not name the file; two backups at once are none of that."""
    refused: list[str] = []

    def meanwhile(_: BackupProgress) -> None:
        if not refused:
            with pytest.raises(StoreBusy) as caught:
                memory.erase(session_id="tea")
            refused.append(caught.value.message)
            memory.backup(tmp_path / "second")

    memory.backup(tmp_path / "first", on_progress=meanwhile)
    assert refused
    receipt = memory.erase(session_id="tea")
    assert sorted(receipt.still_held_by) == [str(tmp_path / "first"), str(tmp_path / "second")]
    lock = OwnerLock(memory.home / LOCK_FILE, SystemClock())
    assert lock.acquire("erase")
    with pytest.raises(StoreBusy, match="is erasing"):
        memory.backup(tmp_path / "third")
    lock.release()


def test_a_backup_is_told_before_it_has_its_name(memory: Memory, tmp_path: Path) -> None:
    """So one that is killed in between leaves none that an erasure does not know."""
    path = tmp_path / "home.tar.zst"

    def meanwhile(progress: BackupProgress) -> None:
        if progress.stage == "verifying":
            path.write_text("of another program", "utf-8")

    with pytest.raises(Conflict):
        memory.backup(path, on_progress=meanwhile)
    assert path.read_text("utf-8") == "of another program"
    assert len(list(memory.events.since(0, types=["home.backed_up"]))) == 1


def test_what_a_killed_backup_left_in_a_folder_goes_with_the_next(
    memory: Memory, tmp_path: Path
) -> None:
    """Its name had another date; other files stay."""
    folder = tmp_path / "backups"
    folder.mkdir()
    left = folder / ".recollect-20260101-000000.tar.zst.0123456789abcdef.part"
    other = folder / ".holiday.tar.zst.0123456789abcdef.part"
    for path in (left, other):
        path.write_bytes(b"half")
        os.utime(path, (0, 0))
    memory.backup(folder)
    assert (left.exists(), other.exists()) == (False, True)


def test_names_with_line_breaks_forge_no_line(
    memory: Memory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a home holds beside our files is told by name, each on one line."""
    (memory.home / "transcripts").mkdir(0o700, exist_ok=True)
    (memory.home / "transcripts" / "a\nerased  everything.jsonl").write_text("x", "utf-8")
    assert main(["--home", str(memory.home), "backup", str(tmp_path / "one")]) == 0
    assert "a erased everything.jsonl: left out" in capsys.readouterr().err


def test_memory_files_that_no_restore_would_take_are_left_out(
    memory: Memory, tmp_path: Path
) -> None:
    """Below more folders than anybody makes."""
    deep = tmp_path / "workspace" / "memory" / Path(*["a"] * 120)
    deep.mkdir(parents=True)
    (deep / "x.md").write_text("deep", "utf-8")
    report = memory.backup(tmp_path / "one", workspace=True)
    assert [warning.partition(": ")[2] for warning in report.warnings] == [
        "left out, its folders are too deep"
    ]
    recollect.restore(tmp_path / "one", tmp_path / "two", workspace=tmp_path / "three")
    assert (tmp_path / "three" / "MEMORY.md").is_file()
