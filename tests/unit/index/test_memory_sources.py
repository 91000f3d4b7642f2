"""Sources of memory files: golden cases of OpenClaw 2026.9.6, patterns, and two workspaces."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.index.model.origin import origin_of, path_of, qualified
from recollect.store.sqlite.database import open_index
from recollect.workspace.extra_paths import ExtraPath, extra_path
from recollect.workspace.memory_folder import list_memory

STANDARD = [
    "MEMORY.md",
    "USER.md",
    "memory/.hidden.md",
    "memory/2026-01-01.md",
    "memory/sub/deep.md",
]
LEXICAL = {"embedding.provider": "none", "sessions.mirror": False}


def _write(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"about {path}\n", encoding="utf-8")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """The folder that extra paths and links lead to."""
    _write(tmp_path / "extra", "outside.md", "n/in.md")
    return tmp_path / "extra"


@pytest.fixture
def workspace(tmp_path: Path, outside: Path) -> Path:
    """The workspace of the golden cases."""
    folder = tmp_path / "workspace"
    _write(folder, *STANDARD, "memory/notes.txt", "memory/UPPER.MD", "docs/extra.md")
    _write(folder, "docs/skip.txt", "AGENTS.md", "DREAMS.md")
    (folder / "memory/link.md").symlink_to(outside / "outside.md")
    (folder / "memory/linkdir").symlink_to(outside)
    (folder / "exlink").symlink_to(outside)
    return folder


def _listed(workspace: Path, *named: str) -> list[str]:
    extra = [extra_path(each, workspace) for each in named]
    return [file.ref for file in list_memory(workspace, extra).files]


@pytest.mark.parametrize("named", [("memory", "MEMORY.md"), ("exlink",)])
def test_what_is_listed_already_and_what_is_a_link_adds_nothing(
    workspace: Path, named: tuple[str, ...]
) -> None:
    """OpenClaw's cases `extra_duplicate_of_memory` and `extra_symlink_root_skipped`."""
    assert _listed(workspace, *named) == STANDARD


def test_a_pattern_chooses_files_of_an_extra_folder(workspace: Path, outside: Path) -> None:
    """OpenClaw's case `extra_pattern`; here the pattern stands behind the folder."""
    inside = str(outside / "n/in.md")
    assert sorted(_listed(workspace, f"{outside}/n/**/*.md")) == sorted([*STANDARD, inside])


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("memoryx/x.md", False),
        ("memory/x.md", True),
        ("Memory.md", False),
        ("AGENTS.md", False),
        ("MEMORY.md", True),
        ("memory", False),
    ],
)
def test_memory_paths_are_those_of_openclaw(tmp_path: Path, path: str, expected: bool) -> None:
    """Its six golden cases of `isMemoryPath`, as files."""
    file = Path(f"{tmp_path}/{path}")
    file.parent.mkdir(exist_ok=True)
    file.write_text("x\n", encoding="utf-8")
    assert bool(list_memory(tmp_path, []).files) is expected


def test_the_old_spelling_and_the_profile_are_memory_files(tmp_path: Path) -> None:
    """OpenClaw of the first months wrote `memory.md`, the newest one does not read it any more."""
    _write(tmp_path, "memory.md", "USER.md", "memory/a.md")
    assert _listed(tmp_path) == ["USER.md", "memory.md", "memory/a.md"]


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.md", "a.md", True),
        ("*.md", "n/a.md", False),
        ("**/*.md", "a.md", True),
        ("**/*.md", "n/m/a.md", True),
        ("n/**", "n/m/a.md", True),
        ("**/2026-0?-[01]*.md", "n/2026-05-14.md", True),
        ("**/*.txt", "a.txt", False),
        ("", "n/a.md", True),
    ],
)
def test_stars_stay_within_a_name_and_two_of_them_cross_folders(
    pattern: str, path: str, expected: bool
) -> None:
    """As in a shell; and only Markdown is ever taken."""
    assert ExtraPath(path=Path("/notes"), pattern=pattern).accepts(path) is expected


def test_extra_paths_begin_in_the_workspace_or_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or, without a workspace, where the process is."""
    monkeypatch.setenv("HOME", str(tmp_path / "ann"))
    monkeypatch.chdir(tmp_path)
    assert extra_path("~/n/**/*.md", None) == ExtraPath(path=tmp_path / "ann/n", pattern="**/*.md")
    assert extra_path("docs", tmp_path / "w").path == tmp_path / "w/docs"
    assert extra_path("docs", None).path == tmp_path / "docs"


def test_a_file_that_two_ways_lead_to_is_listed_once(tmp_path: Path) -> None:
    """Also when one of them goes over a link above the folder."""
    _write(tmp_path / "real", "MEMORY.md", "memory/a.md")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert _listed(tmp_path / "real", str(tmp_path / "link/memory")) == ["MEMORY.md", "memory/a.md"]


def test_folders_of_programs_are_not_searched_for_notes(tmp_path: Path) -> None:
    """A thousand README files of packages are nobody's memory."""
    _write(tmp_path, "a.md", "node_modules/p/README.md", ".git/x.md", "sub/.venv/y.md", "sub/b.md")
    listing = list_memory(None, [ExtraPath(path=tmp_path)])
    assert [os.path.relpath(file.ref, tmp_path) for file in listing.files] == ["a.md", "sub/b.md"]
    assert listing.warnings == ()


def test_a_ref_tells_its_workspace_and_its_path() -> None:
    """Absolute paths of extra files too."""
    for origin in ("/home/ann/work", ""):
        for path in ("MEMORY.md", "/home/ann/notes/tea.md"):
            ref = qualified(origin, path)
            assert (origin_of(ref), path_of(ref)) == (origin, path)
    assert (origin_of("MEMORY.md"), path_of("MEMORY.md")) == (None, "MEMORY.md")


def test_two_workspaces_of_one_home_do_not_see_or_remove_each_others_files(tmp_path: Path) -> None:
    """Both have a MEMORY.md; a memory without a workspace sees those of all."""
    _write(tmp_path / "work", "MEMORY.md", "memory/a.md")
    (tmp_path / "work/MEMORY.md").write_text("The kettle is blue.\n", encoding="utf-8")
    (tmp_path / "play").mkdir()
    (tmp_path / "play/MEMORY.md").write_text("The kettle is red.\n", encoding="utf-8")
    for _ in range(2):
        for name, colour, files in (("work", "blue", 2), ("play", "red", 3)):
            with recollect.open(tmp_path / "home", tmp_path / name, overrides=LEXICAL) as memory:
                report = memory.sync()
                assert report.removed == 0
                hits = memory.search("kettle").hits
                assert [(hit.path, colour in hit.snippet) for hit in hits] == [("MEMORY.md", True)]
                assert memory.status().index.documents["memory"] in {files, 3}
    with recollect.open(tmp_path / "home", overrides=LEXICAL) as memory:
        assert [hit.path for hit in memory.search("kettle").hits] == ["MEMORY.md"] * 2


def test_two_agents_may_share_a_workspace(tmp_path: Path) -> None:
    """Each is the owner of what it reads there, and finds it."""
    _write(tmp_path / "work", "MEMORY.md")
    (tmp_path / "work/MEMORY.md").write_text("The kettle is blue.\n", encoding="utf-8")
    for _ in range(2):
        for agent in ("ann/1", "ben", None):
            scope = None if agent is None else Scope(agent=agent)
            with recollect.open(
                tmp_path / "home", tmp_path / "work", overrides=LEXICAL, scope=scope
            ) as memory:
                memory.sync()
                assert [hit.path for hit in memory.search("kettle").hits] == ["MEMORY.md"]


def test_files_of_an_index_that_knew_no_workspaces_are_taken_over(tmp_path: Path) -> None:
    """They are indexed under their full name, and the old rows go."""
    _write(tmp_path / "work", "MEMORY.md")
    with recollect.open(tmp_path / "home", tmp_path / "work", overrides=LEXICAL) as memory:
        memory.sync()
        database = open_index(tmp_path / "home", StoreSettings(), SystemClock())
        database.write(lambda tx: tx.execute("UPDATE documents SET ref = 'MEMORY.md'"))
        database.close()
        report = memory.sync()
        assert (report.put, report.removed) == (1, 1)
        assert memory.status().index.documents == {"memory": 1}
