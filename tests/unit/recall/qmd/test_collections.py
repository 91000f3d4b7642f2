"""The collections of a workspace: what the command is told, and which file a hit means."""

from __future__ import annotations

from pathlib import Path

import yaml

from recollect.backends.qmd.collections import Collections
from recollect.workspace.extra_paths import ExtraPath


def _made(tmp_path: Path, workspace: Path | None, *extra: ExtraPath) -> Collections:
    home, cache = tmp_path / "qmd", tmp_path / "cache"
    return Collections(home, workspace, extra, cache=cache, program_path="/bin")


def _written(collections: Collections) -> dict[str, dict[str, str]]:
    collections.write()
    found = yaml.safe_load((collections.folder / "index.yml").read_text(encoding="utf-8"))
    named: dict[str, dict[str, str]] = found["collections"]
    return named


def test_the_workspace_and_extra_paths_become_collections(tmp_path: Path, workspace: Path) -> None:
    """A folder, a pattern in a folder, and a file whose name could be a pattern."""
    odd = tmp_path / "a [odd], name.md"
    odd.write_text("odd", encoding="utf-8")
    extra = (
        ExtraPath(path=tmp_path / "notes"),
        ExtraPath(path=tmp_path / "days", pattern="**/2026-*.md"),
        ExtraPath(path=odd),
    )
    found = _written(_made(tmp_path, workspace, *extra))
    assert found["workspace"]["path"] == str(workspace)
    assert sorted((each["path"], each["pattern"]) for each in found.values())[:-1] == [
        (str(tmp_path), "a ?odd?? name.md"),
        (str(tmp_path / "days"), "**/2026-*.md"),
        (str(tmp_path / "notes"), "**/*.md"),
    ]


def test_each_workspace_has_a_folder_of_its_own(tmp_path: Path, workspace: Path) -> None:
    """And other extra paths another one."""
    extra = ExtraPath(path=tmp_path / "notes")
    made = [
        _made(tmp_path, workspace),
        _made(tmp_path, tmp_path),
        _made(tmp_path, workspace, extra),
        _made(tmp_path, None, extra),
    ]
    assert len({each.folder for each in made}) == 4
    assert made[0].folder == _made(tmp_path, workspace).folder


def test_an_address_leads_to_its_file(tmp_path: Path, workspace: Path) -> None:
    """If it is of one of our collections."""
    collections = _made(tmp_path, workspace)
    place = collections.path_of("qmd://workspace/memory/tea.md")
    assert place == workspace.absolute() / "memory" / "tea.md"
    for address in ("qmd://mine/memory/tea.md", "memory/tea.md", "qmd://workspace"):
        assert collections.path_of(address) is None
