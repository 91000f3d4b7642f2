"""A backup or a restore that is killed anywhere: no half file, no half home, nothing lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import recollect
from recollect.store.archive import check_archive
from tests.durability.processes import Worker
from tests.durability.scale import SCALE, chance, report

WORDS = {"embedding.provider": "none"}
OLD, NEW = ["quince"], ["quince", "medlar"]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A folder with a home, and a backup of it from before the last message."""
    folder = tmp_path / "base"
    folder.mkdir()
    with recollect.open(folder / "home", overrides=WORDS, live=False) as memory:
        memory.sessions.start(session_id="tea")
        memory.sessions.append("tea", "user", "quince")
        memory.sync()
        memory.backup(tmp_path / "old.tar.zst")
        memory.sessions.append("tea", "user", "medlar")
    return folder


def _said(home: Path) -> list[str]:
    with recollect.open(home, overrides=WORDS, live=False) as memory:
        assert set(memory.heal_mirrors()) == {"equal"}
        return [message.text for message in memory.sessions.messages("tea")]


def _run(command: str, *arguments: object) -> int | None:
    """Return how many steps a worker needed; None where it was killed."""
    worker = Worker(command, *arguments)
    told = worker.answer()
    worker.kill()
    return int(told) if told else None


def _steps(command: str, base: Path, archive: Path) -> list[int]:
    """Return at which of its steps a command is to be killed: all of them, or some."""
    trial = base.with_name("trial")
    shutil.copytree(base, trial)
    count = _run(command, trial / "home", archive, -1)
    shutil.rmtree(trial)
    assert count is not None
    last = range(max(0, count - 4), count)  # where it gets its name
    return sorted({*last, *chance(command).sample(range(count), min(count, SCALE.kills))})


def test_a_killed_backup_leaves_no_half_file(base: Path, tmp_path: Path) -> None:
    """There is none, or a whole one; the home is as it was, and the next backup works."""
    target = tmp_path / "copies" / "new.tar.zst"
    target.parent.mkdir()
    steps = _steps("back_up_and_die", base, target)
    whole = 0
    for step in steps:
        target.unlink(missing_ok=True)
        assert _run("back_up_and_die", base / "home", target, step) is None
        if target.exists():
            whole += 1
            check_archive(target)
        assert not any(left.stat().st_size for left in (base / "home").glob("*.part"))
    assert _said(base / "home") == NEW
    assert _run("back_up_and_die", base / "home", target, -1) is not None
    check_archive(target)
    report("killed backups", kills=len(steps), whole=whole, half=0)


def test_a_killed_restore_leaves_the_old_home_or_the_new_one(base: Path, tmp_path: Path) -> None:
    """Whole, and what was there is kept; the next restore clears up and works."""
    archive, restored = tmp_path / "old.tar.zst", 0
    steps = _steps("restore_and_die", base, archive)
    for step in steps:
        place = tmp_path / f"killed-{step}"
        shutil.copytree(base, place)
        assert _run("restore_and_die", place / "home", archive, step) is None
        said = _said(place / "home")
        kept = [_said(path) for path in place.glob("home.before-*")]
        assert said == NEW or (said == OLD and kept == [NEW])
        restored += said == OLD
        recollect.restore(archive, place / "home")
        assert _said(place / "home") == OLD
        assert NEW in [_said(path) for path in place.glob("home.before-*")]
        assert not list(place.glob("*.restoring-*"))
        shutil.rmtree(place)
    report("killed restores", kills=len(steps), restored=restored, half=0, lost=0)
