"""Homes and backups on disks that are full, cannot be written, or are mount points; real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.cli.conftest import message
from tests.integration.cli.test_bad_input import _script as script_of


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A transcript of half a MB that hardly gets smaller when it is packed."""
    path = tmp_path / "talk.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for n in range(250):
            words = " ".join(f"w{(n * 7919 + k * 104729) % 1_000_003}" for k in range(250))
            file.write(message(f"number {n} {words}"))
    return path


def test_a_full_disk_leaves_no_backup_and_the_home_as_it_was(
    private_mounts: tuple[str, ...], surroundings: dict[str, str], tmp_path: Path, talk: Path
) -> None:
    """Neither a part of it nor a hidden file; with space the same command works."""
    script = f"""
    mkdir stick && mount -t tmpfs -o size=100k tmpfs stick || exit 99
    recollect --home home import jsonl {talk} >/dev/null 2>&1 || exit 98
    recollect --home home backup stick/one.tar.zst --json; echo "backup: $?"
    ls -A stick home | grep -c -e part -e one
    mount -o remount,size=64m stick || exit 97
    recollect --home home backup stick/one.tar.zst >/dev/null 2>&1; echo "again: $?"
    recollect --home home doctor >/dev/null 2>&1; echo "doctor: $?"
    """
    done = script_of(private_mounts, script, surroundings, tmp_path)
    assert done.out.splitlines() == ["backup: 1", "0", "again: 0", "doctor: 0"], done
    assert '"code":"store_full"' in done.err
    assert '"hint":"free some space' in done.err


def test_a_full_disk_of_the_home_leaves_no_backup(
    private_mounts: tuple[str, ...], surroundings: dict[str, str], tmp_path: Path, talk: Path
) -> None:
    """The copy of the databases needs room beside them for a moment; it says so."""
    script = f"""
    mkdir disk && mount -t tmpfs -o size=64m tmpfs disk || exit 99
    recollect --home disk/home import jsonl {talk} >/dev/null 2>&1 || exit 98
    used=$(df -k --output=used disk | tail -1)
    mount -o remount,size=$((used + 500))k disk || exit 97
    recollect --home disk/home backup one.tar.zst --json; echo "backup: $?"
    ls -A . disk/home | grep -c -e part -e one.tar
    mount -o remount,size=256m disk || exit 97
    recollect --home disk/home backup one.tar.zst >/dev/null 2>&1; echo "again: $?"
    """
    done = script_of(private_mounts, script, surroundings, tmp_path)
    assert done.out.splitlines() == ["backup: 1", "0", "again: 0"], done
    assert '"code":"store_full"' in done.err


def test_a_full_disk_leaves_the_home_as_it_was_when_it_is_restored(
    private_mounts: tuple[str, ...], surroundings: dict[str, str], tmp_path: Path, talk: Path
) -> None:
    """Nothing of what was unpacked is left beside it."""
    (tmp_path / "mine.jsonl").write_text(message("the kettle whistles"), encoding="utf-8")
    script = f"""
    mkdir disk && mount -t tmpfs -o size=256m tmpfs disk || exit 99
    recollect --home other import jsonl {talk} >/dev/null 2>&1 || exit 98
    recollect --home other backup one.tar.zst >/dev/null 2>&1 || exit 98
    recollect --home disk/home import jsonl mine.jsonl >/dev/null 2>&1 || exit 98
    recollect --home disk/home sync >/dev/null 2>&1 || exit 98
    used=$(df -k --output=used disk | tail -1)
    for room in 200 900
    do
        mount -o remount,size=$((used + room))k disk || exit 97
        recollect --home disk/home restore one.tar.zst --json; echo "restore: $?"
        ls -A disk
        recollect --home disk/home search kettle --json | grep -c whistles
    done
    mount -o remount,size=256m disk || exit 97
    recollect --home disk/home restore one.tar.zst >/dev/null 2>&1; echo "again: $?"
    """
    done = script_of(private_mounts, script, surroundings, tmp_path)
    refused = ["restore: 1", "home", "1"]
    assert done.out.splitlines() == [*refused, *refused, "again: 0"], done
    assert done.err.count('"hint":"free some space') == 2


def test_a_home_that_is_a_mount_point_is_told_how_it_can_be_restored(
    private_mounts: tuple[str, ...], surroundings: dict[str, str], tmp_path: Path, talk: Path
) -> None:
    """A mount point cannot be renamed: nothing is unpacked; below it there is a way."""
    script = f"""
    mkdir home bound && mount -t tmpfs -o size=64m tmpfs home && chmod 700 home || exit 99
    recollect --home other import jsonl {talk} >/dev/null 2>&1 || exit 98
    recollect --home other backup one.tar.zst >/dev/null 2>&1 || exit 98
    mount --bind other bound || exit 99
    for place in home bound
    do
        recollect --home $place restore one.tar.zst --json; echo "restore: $?"
        mountpoint -q $place; echo "mounted: $?"
        ls -A . | grep -c -e restoring -e before
    done
    recollect --home bound doctor >/dev/null 2>&1; echo "doctor: $?"
    recollect --home home/below restore one.tar.zst >/dev/null 2>&1; echo "below: $?"
    """
    done = script_of(private_mounts, script, surroundings, tmp_path)
    each = ["restore: 1", "mounted: 0", "0"]
    assert done.out.splitlines() == [*each, *each, "doctor: 0", "below: 0"], done
    assert done.err.count("mount point") == done.err.count("below it") == 2


@pytest.mark.parametrize("index", ["there", "missing"])
def test_a_home_that_cannot_be_written_is_examined_without_alarm(
    private_mounts: tuple[str, ...],
    surroundings: dict[str, str],
    tmp_path: Path,
    talk: Path,
    index: str,
) -> None:
    """Mirrors and locks are right; without an index it is said what to do, and that is possible."""
    script = f"""
    mkdir disk && mount -t tmpfs -o size=64m tmpfs disk || exit 99
    recollect --home disk/home import jsonl {talk} >/dev/null 2>&1 || exit 98
    recollect --home disk/home sync >/dev/null 2>&1 || exit 98
    test {index} = there || rm disk/home/index.db*
    mount -o remount,ro disk || exit 97
    recollect --home disk/home doctor --json > doctor.json; echo "doctor: $?"
    recollect --home disk/home search w7919 --json > hits.json 2> error.json; echo "search: $?"
    cp -r disk/home copy
    recollect --home copy search 'number 17' >/dev/null 2>&1; echo "copy: $?"
    """
    done = script_of(private_mounts, script, surroundings, tmp_path)
    doctor = (tmp_path / "doctor.json").read_text("utf-8")
    if index == "there":
        assert done.out.splitlines() == ["doctor: 0", "search: 0", "copy: 0"], (done, doctor)
        return
    assert done.out.splitlines() == ["doctor: 1", "search: 1", "copy: 0"], (done, doctor)
    assert doctor.count('"wrong"') == 1
    error = (tmp_path / "error.json").read_text("utf-8")
    assert '"code":"store_read_only"' in error
    assert "copy the home" in error
