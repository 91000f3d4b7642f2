"""Power cuts in commands that make and remove files: nothing lost, half, or back."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import recollect
from recollect.core.errors import NotFound, RecollectError
from recollect.exchange.recover import recover
from recollect.memory import Memory
from recollect.store.archive import check_archive
from recollect.store.files import sync_folder
from recollect.store.sqlite.home import BLOBS, RECORDS_FILE
from tests.durability.power import Recording, recorded, write_to
from tests.durability.scale import SCALE, chance, report
from tests.support.leftovers import files_that_hold

DONE = "done"


def opened(home: Path) -> Memory:
    """Return a memory without an embedder, and without a background."""
    return recollect.open(home, overrides={"embedding.provider": "none"}, live=False)


def fill(home: Path) -> None:
    """Make a home with a conversation that goes, and one that stays."""
    with opened(home) as memory:
        for word in ("quince", "medlar"):
            memory.sessions.start(session_id=word)
            memory.sessions.append_many(word, [("user", f"{word}{n}") for n in range(20)])
        memory.sync()


def said(home: Path) -> dict[str, int]:
    """Return how much every session of a home holds; mirrors and index agree with it."""
    with opened(home) as memory:
        assert memory.heal_mirrors().keys() <= {"equal", "extended", "rewritten", "made"}
        assert memory.heal_mirrors().keys() <= {"equal"}
        sessions = {each.id: each.message_count for each in memory.sessions.list()}
        for word in sessions:
            assert memory.search(f"{word}7").hits[0].snippet == f"{word}7"
    return sessions


BOTH = {"quince": 20, "medlar": 20}


def cut_homes(recording: Recording, folder: Path, name: str) -> list[tuple[Path, bool]]:
    """Make the tree of each cut; say whether the command had ended before it."""
    made = []
    for number, cut in enumerate(recording.cuts(SCALE.command_cuts, chance(f"cuts {name}"))):
        write_to(folder / f"{number}", cut)
        made.append((folder / f"{number}", DONE in cut.marks))
    report(
        f"power cuts in {name}",
        cuts=len(made),
        moments=len(recording.moments),
        ended_before=sum(done for _, done in made),
    )
    return made


def test_a_recovery_that_loses_its_power_is_begun_again(scratch: Path) -> None:
    """All comes back, the damaged file is kept once; a recovery that ended stays."""
    root = scratch / "root"
    home = root / "home"
    fill(home)
    records = home / RECORDS_FILE
    records.write_bytes(records.read_bytes()[: records.stat().st_size // 2])
    damaged = records.read_bytes()
    with recorded(root) as recording:
        recover(home)
        recording.mark(DONE)
    for place, is_done in cut_homes(recording, scratch, "recover"):
        home = place / "home"
        try:
            opened(home).close()
        except RecollectError:
            assert not is_done
            recover(home)
        assert said(home) == BOTH
        kept = [path.read_bytes() for path in home.glob(f"aside/*/{RECORDS_FILE}")]
        assert kept == [damaged]
        shutil.rmtree(place)


def test_an_erasure_that_loses_its_power_is_finished(scratch: Path) -> None:
    """Nothing was begun, or nothing is left; what was promised stays so."""
    root = scratch / "root"
    fill(root / "home")
    with recorded(root) as recording, opened(root / "home") as memory:
        memory.erase(session_id="quince")
        recording.mark(DONE)
    for place, is_done in cut_homes(recording, scratch, "erase"):
        home = place / "home"
        if is_done:
            assert files_that_hold(home, "quince") == []
        with opened(home) as memory:
            try:
                memory.erase(session_id="quince")
                assert not is_done
            except NotFound:
                pass
        assert said(home) == {"medlar": 20}
        assert files_that_hold(home, "quince") == []
        shutil.rmtree(place)


def test_a_restore_that_loses_its_power_leaves_the_old_home_or_the_new_one(scratch: Path) -> None:
    """Whole, and what was there is kept; a restore that ended stays."""
    root = scratch / "root"
    fill(root / "home")
    archive = scratch / "old.tar.zst"
    with opened(root / "home") as memory:
        memory.backup(archive)
        memory.sessions.append("medlar", "user", "medlar20")
    newer = BOTH | {"medlar": 21}
    with recorded(root) as recording:
        recollect.restore(archive, root / "home")
        recording.mark(DONE)
    for place, is_done in cut_homes(recording, scratch, "restore"):
        found = said(place / "home")
        kept = [said(path) for path in place.glob("home.before-*")]
        if found == BOTH:
            assert kept == [newer]
        else:
            assert found == newer
            assert not is_done
        recollect.restore(archive, place / "home")
        assert said(place / "home") == BOTH
        assert not list(place.glob("*.restoring-*"))
        shutil.rmtree(place)


def test_a_backup_that_loses_its_power_leaves_no_half_file(scratch: Path) -> None:
    """A file of its name is whole; one that was promised is there; the home is as it was."""
    root = scratch / "root"
    fill(root / "home")
    (root / "copies").mkdir()
    with recorded(root) as recording, opened(root / "home") as memory:
        memory.backup(root / "copies" / "one.tar.zst")
        recording.mark(DONE)
    for place, is_done in cut_homes(recording, scratch, "backup"):
        made = place / "copies" / "one.tar.zst"
        assert made.exists() or not is_done
        if made.exists():
            check_archive(made)
        assert said(place / "home") == BOTH
        shutil.rmtree(place)


LONG = "quince medlar " * 5_000
"""An output that is kept whole as a blob."""


def put_unsynced(blobs: Path, content: bytes) -> None:
    """Leave a blob as a program does that is killed before it has synced the folder."""
    digest = hashlib.sha256(content).hexdigest()
    folder = blobs / digest[:2]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(folder / ".draft", "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(folder / ".draft", folder / digest[2:])


def test_an_observation_that_loses_its_power_is_whole_or_not_there(scratch: Path) -> None:
    """Also where the blob came from a program that was killed before it had synced its name."""
    root = scratch / "root"
    fill(root / "home")
    with recorded(root) as recording, opened(root / "home") as memory:
        for number in range(2):
            memory.observations.record("quince", "Bash", output=LONG + "x" * number)
        put_unsynced(root / "home" / BLOBS, (LONG + "xx").encode())
        memory.observations.record("quince", "Bash", output=LONG + "xx")
        recording.mark(DONE)
        acknowledged = len(recording.moments)
    del recording.moments[acknowledged:]  # what closing syncs comes too late
    for place, is_done in cut_homes(recording, scratch, "observations"):
        with opened(place / "home") as memory:
            found = [f"#{each.number}" for each in memory.observations.list()]
            whole = [each.output for each in memory.observations.get(found, None).found]
        assert whole == [LONG + "x" * number for number in reversed(range(len(found)))]
        assert len(found) == 3 or not is_done
        shutil.rmtree(place)


def test_the_simulation_notices_what_was_not_synced(scratch: Path) -> None:
    """A control: a file that gets its name before its bytes are synced must be torn by some."""
    root = scratch / "root"
    root.mkdir()
    (root / "file").write_bytes(b"old" * 400)
    with recorded(root) as recording:
        (root / "draft").write_bytes(b"new" * 400)
        os.replace(root / "draft", root / "file")
        sync_folder(root)
        recording.mark(DONE)
    broken = 0
    for place, is_done in cut_homes(recording, scratch, "a careless program"):
        broken += is_done and (place / "file").read_bytes() != b"new" * 400
    assert broken > 0


def test_the_simulation_keeps_what_was_synced(scratch: Path) -> None:
    """A control: a file that grows after its sync may lose what it grew by, and no more."""
    root = scratch / "root"
    root.mkdir()
    (root / "file").write_bytes(b"old" * 400)
    with recorded(root) as recording:
        with open(root / "file", "ab") as file:
            file.write(b"new" * 400)
        recording.mark(DONE)
    torn = 0
    for place, _ in cut_homes(recording, scratch, "a growing file"):
        kept = (place / "file").read_bytes()
        assert kept.startswith(b"old" * 400)
        torn += len(kept) < 2_400
    assert torn > 0
