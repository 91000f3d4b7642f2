"""Memory files: which ones are taken, what of them is indexed, and what is told of the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.core.scope import Scope
from recollect.index.model.document import Document, DocumentBatch, SourceState
from recollect.index.model.origin import path_of
from recollect.recall.memory_source import BATCH_BYTES, MemorySource, note_time
from recollect.text.secret_redactor import SecretRedactor
from recollect.workspace.extra_paths import ExtraPath
from recollect.workspace.memory_folder import LARGEST_BYTES, MemoryFolder, list_memory
from tests.unit.index.scripted import ScriptedEmbedder, ScriptedIndex

MTIME_NS = 1_770_724_800_000_000_000
"""2026-02-10 12:00 UTC."""


class Workspace:
    """A workspace whose feed is read again and again."""

    def __init__(self, folder: Path, *extra: Path, redacts: bool = False) -> None:
        self.folder = folder
        redactor = SecretRedactor(b"salt") if redacts else None
        self.files = MemorySource(
            MemoryFolder(folder, [ExtraPath(path=each) for each in extra], redactor=redactor),
            Scope(),
        )
        self.stamps: dict[str, str] = {}

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file below the workspace."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def scan(self) -> list[DocumentBatch]:
        """Read what changed, as the index does."""
        batches = list(self.files.batches(SourceState(0, dict(self.stamps))))
        for batch in batches:
            self.stamps |= {d.ref: d.stamp or "" for d in batch.documents}
            for removal in batch.removals:
                del self.stamps[removal.ref]
        return batches

    def put(self) -> list[Document]:
        """Return the documents of a scan."""
        return [document for batch in self.scan() for document in batch.documents]

    def warnings(self) -> list[str]:
        """Return the warnings of a scan."""
        return [warning for batch in self.scan() for warning in batch.warnings]

    def removed(self) -> list[str]:
        """Return the refs that a scan found gone."""
        return [path_of(removal.ref) for batch in self.scan() for removal in batch.removals]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty workspace."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return Workspace(folder)


def test_the_memory_of_a_workspace_is_memory_md_and_what_is_nested_below_memory(
    workspace: Workspace,
) -> None:
    """Everything else of the workspace is the agent's business."""
    for path in ("MEMORY.md", "memory/a.md", "memory/b/c/d.md"):
        workspace.write(path, "apple")
    for path in ("README.md", "memory/a.txt", "src/MEMORY.md", "memory.bak/a.md"):
        workspace.write(path, "apple")
    documents = workspace.put()
    assert [path_of(d.ref) for d in documents] == ["MEMORY.md", "memory/a.md", "memory/b/c/d.md"]
    assert {(d.source, d.markdown, d.order) for d in documents} == {("memory", True, 0)}
    assert workspace.scan() == []


def test_what_changed_is_read_again_and_nothing_else(workspace: Workspace) -> None:
    """Also when the size is the same."""
    path = workspace.write("memory/a.md", "apple")
    workspace.write("memory/b.md", "bread")
    workspace.scan()
    path.write_text("grape", encoding="utf-8")
    os.utime(path, ns=(MTIME_NS, MTIME_NS))
    assert [(path_of(d.ref), d.text, d.at) for d in workspace.put()] == [
        ("memory/a.md", "grape", MTIME_NS // 1_000_000)
    ]


def test_a_file_that_was_renamed_comes_and_goes_in_one_batch(workspace: Workspace) -> None:
    """Then it keeps its vectors."""
    path = workspace.write("memory/a.md", "apple")
    workspace.scan()
    path.rename(path.with_name("b.md"))
    (batch,) = workspace.scan()
    assert [path_of(d.ref) for d in batch.documents] == ["memory/b.md"]
    assert [path_of(r.ref) for r in batch.removals] == ["memory/a.md"]


def test_a_file_that_was_removed_is_gone(workspace: Workspace) -> None:
    """And so are those of a folder."""
    path = workspace.write("memory/a.md", "apple")
    workspace.write("memory/deep/b.md", "bread")
    workspace.scan()
    path.unlink()
    (workspace.folder / "memory/deep/b.md").unlink()
    (workspace.folder / "memory/deep").rmdir()
    assert workspace.removed() == ["memory/a.md", "memory/deep/b.md"]


def _symlink(workspace: Workspace, outside: Path) -> None:
    (workspace.folder / "memory/x.md").symlink_to(outside)


def _hard_link(workspace: Workspace, outside: Path) -> None:
    (workspace.folder / "memory/x.md").hardlink_to(outside)


def _pipe(workspace: Workspace, _: Path) -> None:
    os.mkfifo(workspace.folder / "memory/x.md")


def _folder_link(workspace: Workspace, outside: Path) -> None:
    (workspace.folder / "memory/x.md").symlink_to(outside.parent)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_symlink, "symlink"),
        (_hard_link, "hard link"),
        (_pipe, "special file"),
        (_folder_link, "symlink"),
    ],
)
def test_what_is_no_file_of_its_own_is_left_out_and_told(
    workspace: Workspace, tmp_path: Path, make: Callable[[Workspace, Path], None], reason: str
) -> None:
    """A link inside can be a secret outside; a pipe would wait for ever."""
    outside = tmp_path / "outside.md"
    outside.write_text("secret", encoding="utf-8")
    workspace.write("memory/a.md", "apple")
    make(workspace, outside)
    (batch,) = workspace.scan()
    assert [path_of(d.ref) for d in batch.documents] == ["memory/a.md"]
    assert batch.warnings == (f"memory/x.md: left out, {reason}",)
    with pytest.raises(NotFound):
        workspace.files.folder.find("memory/x.md")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read_is_not_gone(workspace: Workspace) -> None:
    """Its files stay indexed as they were."""
    workspace.write("memory/deep/a.md", "apple")
    workspace.scan()
    (workspace.folder / "memory/deep").chmod(0)
    try:
        (batch,) = workspace.scan()
    finally:
        (workspace.folder / "memory/deep").chmod(0o700)
    assert batch.removals == ()
    assert batch.warnings == ("memory/deep: left out, unreadable",)


def test_a_workspace_that_cannot_be_opened_is_not_gone(tmp_path: Path) -> None:
    """Found by these tests: MEMORY.md was removed from the index, and memory/ was not."""
    unopenable = Workspace(tmp_path / ("x" * 300))
    unopenable.stamps = {"MEMORY.md": "1:1", "memory/a.md": "1:1", "memory.md": "1:1"}
    (batch,) = unopenable.scan()
    assert batch.removals == ()
    (warning,) = batch.warnings
    assert warning.startswith("memory: left out, ")
    assert list_memory(tmp_path / ("x" * 300), ()).is_gone("somewhere/else.md")


def test_a_binary_file_is_left_out_and_read_once(workspace: Workspace) -> None:
    """What was indexed of it before stays; it is told with each scan."""
    workspace.write("memory/a.md", b"apple\0pie")
    assert workspace.warnings() == ["memory/a.md: left out, the file is binary"]
    assert workspace.warnings() == ["memory/a.md: left out, the file is binary"]
    with pytest.raises(InvalidInput) as caught:
        workspace.files.folder.text(workspace.files.folder.find("memory/a.md"))
    assert caught.value.hint
    workspace.write("memory/a.md", "apple pie, repaired")
    assert [d.text for d in workspace.put()] == ["apple pie, repaired"]


def test_a_file_that_is_too_large_is_left_out(workspace: Workspace) -> None:
    """Forty megabytes are no notes; the others are indexed."""
    path = workspace.write("memory/large.md", "apple")
    os.truncate(path, 40_000_000)
    workspace.write("memory/small.md", "bread")
    (batch,) = workspace.scan()
    assert [path_of(d.ref) for d in batch.documents] == ["memory/small.md"]
    assert batch.warnings == (
        f"memory/large.md: left out, the file is larger than {LARGEST_BYTES} bytes",
    )


def test_bytes_that_are_not_utf8_are_replaced_and_told(workspace: Workspace) -> None:
    """The rest of the file is found."""
    workspace.write("memory/a.md", b"caf\xe9 apple")
    (batch,) = workspace.scan()
    assert [d.text for d in batch.documents] == ["caf\ufffd apple"]
    assert batch.warnings == ("memory/a.md: bytes that are not UTF-8 were replaced",)


def test_a_byte_order_mark_is_no_text(workspace: Workspace) -> None:
    """Some editors write one."""
    workspace.write("memory/a.md", b"\xef\xbb\xbf# Apple")
    assert [d.text for d in workspace.put()] == ["# Apple"]


def test_a_name_that_is_not_utf8_is_left_out(workspace: Workspace) -> None:
    """It cannot be stored."""
    workspace.write("memory/a.md", "apple")
    (workspace.folder / "memory" / os.fsdecode(b"caf\xe9.md")).write_bytes(b"bread")
    (batch,) = workspace.scan()
    assert [path_of(d.ref) for d in batch.documents] == ["memory/a.md"]
    assert batch.warnings == ("memory/caf?.md: left out, its name is not UTF-8",)


def test_a_file_that_vanishes_during_a_scan_is_told(workspace: Workspace) -> None:
    """Listing and reading are two moments; the next scan finds it gone."""
    path = workspace.write("memory/0.md", "x" * BATCH_BYTES)
    later = workspace.write("memory/1.md", "apple")
    batches = workspace.files.batches(SourceState(0, {}))
    assert [path_of(d.ref) for d in next(batches).documents] == ["memory/0.md"]
    later.unlink()
    (last,) = batches
    assert (last.documents, last.removals) == ((), ())
    (warning,) = last.warnings
    assert warning.startswith("memory/1.md: left out, ")
    assert path.exists()


def test_large_changes_come_in_several_batches(workspace: Workspace) -> None:
    """Each tells how much is left; what is gone comes with the last."""
    for number in range(3):
        workspace.write(f"memory/{number}.md", "x" * BATCH_BYTES)
    batches = workspace.scan()
    assert [(len(batch.documents), batch.left) for batch in batches] == [(1, 2), (1, 1), (1, 0)]


def test_extra_paths_are_files_or_folders(workspace: Workspace, tmp_path: Path) -> None:
    """Under their whole path; a file is listed once, however often it is named."""
    folder = tmp_path / "extra"
    (folder / "deep").mkdir(parents=True)
    for path in ("a.md", "deep/b.md", "c.txt"):
        (folder / path).write_text("apple", encoding="utf-8")
    single = tmp_path / "single.md"
    single.write_text("apple", encoding="utf-8")
    workspace.write("memory/m.md", "apple")
    extra = [folder, single, single, folder / "a.md", workspace.folder / "memory"]
    documents = Workspace(workspace.folder, *extra).put()
    assert [path_of(d.ref) for d in documents] == sorted(
        [f"{folder}/a.md", f"{folder}/deep/b.md", str(single), "memory/m.md"]
    )


def test_extra_paths_that_cannot_be_taken_are_told(workspace: Workspace, tmp_path: Path) -> None:
    """Missing, a link, or no Markdown."""
    plain = tmp_path / "plain.txt"
    plain.write_text("apple", encoding="utf-8")
    link = tmp_path / "link.md"
    link.symlink_to(plain)
    paths = [tmp_path / "missing", plain / "below.md", plain, link, tmp_path / ("x" * 300)]
    assert Workspace(workspace.folder, *paths).warnings() == [
        f"{tmp_path}/missing: left out, it is not there",
        f"{plain}/below.md: left out, it is not there",
        f"{plain}: left out, neither a folder nor Markdown",
        f"{link}: left out, symlink",
        f"{tmp_path}/{'x' * 300}: left out, unreadable",
    ]


def test_a_workspace_that_is_gone_empties_the_index_with_a_warning(workspace: Workspace) -> None:
    """It is not there, and so its files are gone."""
    workspace.write("memory/a.md", "apple")
    workspace.scan()
    workspace.folder.rename(workspace.folder.with_name("moved"))
    (batch,) = workspace.scan()
    assert [path_of(r.ref) for r in batch.removals] == ["memory/a.md"]
    assert batch.warnings == (f"{workspace.folder}: left out, it is not there",)


@pytest.mark.parametrize(
    ("ref", "day"),
    [
        ("memory/2023-05-14.md", (2023, 5, 14)),
        ("memory/trip-2023-05-14-to-2023-06-01.md", (2023, 5, 14)),
        ("memory/2023-13-40 or 2024-02-29.md", (2024, 2, 29)),
    ],
)
def test_the_date_of_a_note_is_in_its_name(ref: str, day: tuple[int, int, int]) -> None:
    """At noon, so that no time zone makes it another day."""
    assert note_time(ref, MTIME_NS) == datetime(*day, 12, tzinfo=UTC).timestamp() * 1000


@pytest.mark.parametrize(
    ("ref", "mtime_ns", "at"),
    [
        ("memory/notes.md", MTIME_NS, MTIME_NS // 1_000_000),
        ("memory/2023-02-30.md", MTIME_NS, MTIME_NS // 1_000_000),
        ("2023-05-14/notes.md", MTIME_NS, MTIME_NS // 1_000_000),
        ("memory/notes.md", -5_000_000, 0),
        ("memory/1950-01-01.md", MTIME_NS, 0),
    ],
)
def test_a_note_without_a_date_is_from_its_last_change(ref: str, mtime_ns: int, at: int) -> None:
    """Times before 1970 do not exist here."""
    assert note_time(ref, mtime_ns) == at


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("# Standup of 3 May 2024\n", (2024, 5, 3)),
        ("intro\n## 2024-05-03: tea\n# 2025-01-01\n", (2024, 5, 3)),
        ("# Notizen vom 3. Mai 2024\n", (2024, 5, 3)),
        ("# 2024年5月3日\n", (2024, 5, 3)),
        ("# Yesterday, or 3 May\n", None),
        ("on 3 May 2024\n", None),
    ],
)
def test_the_date_of_a_note_may_be_in_its_first_heading(
    text: str, day: tuple[int, int, int] | None
) -> None:
    """A whole one: what is told from another day on tells nothing later."""
    moment = note_time("memory/notes.md", MTIME_NS, text)
    at = None if day is None else datetime(*day, 12, tzinfo=UTC).timestamp() * 1000
    assert moment == (at or MTIME_NS // 1_000_000)
    assert note_time("memory/2023-05-14.md", MTIME_NS, text) == note_time(
        "memory/2023-05-14.md", MTIME_NS
    )


def test_redaction_keeps_the_numbers_of_lines(tmp_path: Path) -> None:
    """A secret of several lines leaves as many."""
    workspace = Workspace(tmp_path, redacts=True)
    text = "one\n<private>\ntwo\nthree\n</private>\nfour\npassword = tr0ub4dor&3\nlast\n"
    workspace.write("MEMORY.md", text)
    (document,) = workspace.put()
    assert "three" not in document.text
    assert "tr0ub4dor" not in document.text
    lines = document.text.split("\n")
    assert len(lines) == len(text.split("\n"))
    assert (lines[0], lines[5], lines[7]) == ("one", "four", "last")


def test_a_ref_that_is_no_memory_file_is_not_found(workspace: Workspace) -> None:
    """Whatever lies under that path."""
    workspace.write("README.md", "apple")
    for ref in ("README.md", "../workspace/MEMORY.md", "/etc/passwd", "", "\0", "\ud800"):
        with pytest.raises(NotFound) as caught:
            workspace.files.folder.find(ref)
        assert isinstance(caught.value, RecollectError)
        assert caught.value.hint


def test_scans_that_take_long_are_made_less_often(workspace: Workspace) -> None:
    """A cheap one is made before every search; the first is always due."""
    files = workspace.files
    assert files.is_behind(0)
    list(files.batches(SourceState(0, {})))
    workspace.write("memory/a.md", "apple")
    assert files.is_behind(0)


def test_edits_of_files_reach_the_search(workspace: Workspace, tmp_path: Path) -> None:
    """Through the index: put, changed with the same size, renamed, removed."""
    path = workspace.write("memory/a.md", "apple")
    with ScriptedIndex(tmp_path / "home", workspace.files) as home:
        home.index.sync()
        assert home.refs("apple") == ["memory/a.md"]
        path.write_text("grape", encoding="utf-8")
        os.utime(path, ns=(MTIME_NS, MTIME_NS))
        home.index.sync()
        assert (home.refs("apple"), home.refs("grape")) == ([], ["memory/a.md"])
        path = path.rename(path.with_name("b.md"))
        home.index.sync()
        assert home.refs("grape") == ["memory/b.md"]
        path.unlink()
        assert home.index.sync().removed == 1
        assert home.refs("grape") == []


def test_a_file_that_was_only_saved_again_is_not_embedded_again(
    workspace: Workspace, tmp_path: Path
) -> None:
    """Its date is new, which a hit shows; its text and its vectors are not."""
    path, embedder = workspace.write("memory/a.md", "apple"), ScriptedEmbedder()
    with ScriptedIndex(tmp_path / "home", workspace.files, embedder) as home:
        home.index.sync()
        before = home.ask("apple").hits
        os.utime(path, ns=(MTIME_NS + 60_000_000_000, MTIME_NS + 60_000_000_000))
        home.index.sync()
        after = home.ask("apple").hits
    assert embedder.texts == ["apple"]
    assert [(hit.ref, hit.score) for hit in after] == [(hit.ref, hit.score) for hit in before]
    assert after[0].at == MTIME_NS // 1_000_000 + 60_000 != before[0].at
