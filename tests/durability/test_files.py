"""Files beside the database: torn mirrors, and paths that somebody swaps while they are opened."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from recollect.core.errors import RecollectError
from recollect.store.files import append_lines, read_lines
from recollect.store.paths import read_beneath
from tests.durability.scale import SCALE, report


def test_a_mirror_torn_anywhere_keeps_its_whole_lines(tmp_path: Path) -> None:
    """Promise F1: at every offset of twenty lines; the tail is set aside."""
    lines = [f'{{"n":{number},"text":"{"é" * number}"}}'.encode() for number in range(20)]
    whole = b"".join(line + b"\n" for line in lines)
    for offset in range(len(whole) + 1):
        path, torn = tmp_path / f"{offset}.jsonl", tmp_path / f"{offset}.jsonl.torn"
        path.write_bytes(whole[:offset])
        kept = whole[:offset].count(b"\n")
        tail = whole[:offset].rpartition(b"\n")[2]
        assert append_lines(path, [b"next"], durable=False) == len(tail)
        assert list(read_lines(path)) == [*lines[:kept], b"next"]
        assert (torn.read_bytes() if torn.exists() else b"") == (tail + b"\n" if tail else b"")
    report("torn mirrors", cuts=len(whole) + 1, lines_lost=0)


def test_no_race_leads_out_of_the_root(tmp_path: Path) -> None:
    """Promise F7: a folder that turns into a link and back while files in it are opened."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "sub", outside):
        folder.mkdir(parents=True)
        folder.joinpath("file").write_bytes(folder.name.encode())
    (root / "link").symlink_to(outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for old, new in (("sub", "spare"), ("link", "sub"), ("sub", "link"), ("spare", "sub")):
                os.rename(root / old, root / new)

    swapper = threading.Thread(target=swap)
    swapper.start()
    read, escaped = 0, 0
    for _ in range(SCALE.path_races):
        with suppress(RecollectError):
            content = read_beneath(root, "sub/file", limit=100)
            read += 1
            escaped += content != b"sub"
    stop.set()
    swapper.join()
    report("path races", tries=SCALE.path_races, read=read, escaped=escaped)
    assert escaped == 0
