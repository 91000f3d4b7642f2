"""A fresh process that runs a command of recollect and writes down what it walked.

Run by `WalkRunner` as ``python walked_command.py ANSWER ARGUMENT…``; the answer is a `WalkRow`.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    from benchmarks.measure.walk import Tracer

    tracer = Tracer()
    with tracer.counting():
        from recollect.cli.main import main

        code = main(sys.argv[2:])
    tracer.stop()
    ours = [name for name in sys.modules if name.partition(".")[0] == "recollect"]

    import msgspec

    from benchmarks.load.walk_worker import WalkRow

    row = WalkRow(call="recollect search", part="all", walk=tracer.walk(), modules=len(ours))
    Path(sys.argv[1]).write_bytes(msgspec.json.encode(row))
    sys.exit(code)
