"""Read a long memory file piece by piece."""

import tempfile
from pathlib import Path

import recollect

with tempfile.TemporaryDirectory() as folder:
    workspace = Path(folder, "workspace")
    (workspace / "memory").mkdir(parents=True)
    note = "".join(f"line {number}\n" for number in range(1, 301))
    (workspace / "memory" / "log.md").write_text(note, encoding="utf-8")
    settings = {"embedding.provider": "none"}
    with recollect.open(Path(folder, "home"), workspace, overrides=settings) as memory:
        # start
        piece = memory.read("memory/log.md")
        while piece.next_from is not None:  # 121, then 241
            piece = memory.read("memory/log.md", piece.next_from)
        print(piece.text.splitlines()[-1], "of", piece.total_lines)  # line 300 of 300

        print(memory.read("memory/none.md").status)  # not_found
        # end
