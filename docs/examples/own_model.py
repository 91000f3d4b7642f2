"""A model of one's own: a sentence-transformers export makes the vectors on this machine."""

# start
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import recollect
from tests.support.onnx_export import write_export, write_wordpiece

with tempfile.TemporaryDirectory() as folder:
    export = write_export(write_wordpiece(Path(folder) / "tiny-multilingual"))
    os.environ["RECOLLECT_MODELS"] = f"{folder}/models"  # noqa: TID251 - a place for the example

    add = [sys.executable, "-m", "recollect", "models", "add", str(export)]
    subprocess.run(add, check=True, capture_output=True)  # noqa: S603 - our own command

    settings = {"embedding.provider": "local:tiny-multilingual"}
    with recollect.open(f"{folder}/home", overrides=settings) as memory:
        session = memory.sessions.create(key="agent:main:main")
        memory.sessions.append(session.id, "user", "The kitten slept in the garden.")
        memory.sync()
        print(memory.search("gatinho jardim").hits[0].snippet)  # The kitten slept in the garden.
# end
