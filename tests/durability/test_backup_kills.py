"""A backup or a restore that is killed anywhere: no half file, no half home, nothing lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import recollect
from recollect.store.archive import check_archive
from tests.durability.deaths import Life, deaths, run
from tests.durability.scale import SCALE, report

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


def _life(command: str, base: Path, archive: Path) -> Life:
    trial = Path(shutil.copytree(base, base.with_name("trial")))
    life = run(command, trial / "home", archive)
    shutil.rmtree(trial)
    assert life is not None
    return life


def test_a_killed_backup_leaves_no_half_file(base: Path, tmp_path: Path) -> None:
    """There is none, or a whole one; the home is as it was, and the next backup works."""
    target = tmp_path / "copies" / "new.tar.zst"
    target.parent.mkdir()
    life = _life("back_up_and_die", base, target)
    kills = whole = 0
    moments = deaths("backup", life)
    while kills < SCALE.kills:
        target.unlink(missing_ok=True)
        kills += run("back_up_and_die", base / "home", target, dies=next(moments)) is None
        if target.exists():
            whole += 1
            check_archive(target)
        assert not any(left.stat().st_size for left in (base / "home").glob("*.part"))
    assert _said(base / "home") == NEW
    assert run("back_up_and_die", base / "home", target) is not None
    check_archive(target)
    report("killed backups", kills=kills, calls=life.calls, whole=whole, half=0)


def test_a_killed_restore_leaves_the_old_home_or_the_new_one(base: Path, tmp_path: Path) -> None:
    """Whole, and what was there is kept; the next restore clears up and works."""
    archive = tmp_path / "old.tar.zst"
    life = _life("restore_and_die", base, archive)
    kills = restored = 0
    moments = deaths("restore", life)
    while kills < SCALE.kills:
        place = Path(shutil.copytree(base, tmp_path / "killed"))
        kills += run("restore_and_die", place / "home", archive, dies=next(moments)) is None
        said = _said(place / "home")
        kept = [_said(path) for path in place.glob("home.before-*")]
        assert said == NEW or (said == OLD and kept == [NEW])
        restored += said == OLD
        recollect.restore(archive, place / "home")
        assert _said(place / "home") == OLD
        assert NEW in [_said(path) for path in place.glob("home.before-*")]
        assert not list(place.glob("*.restoring-*"))
        shutil.rmtree(place)
    report("killed restores", kills=kills, calls=life.calls, restored=restored, half=0, lost=0)
