"""A backup, and a home made from it."""

# start
import tempfile
from pathlib import Path

import recollect

folder = Path(tempfile.mkdtemp())

with recollect.open(folder / "home", overrides={"embedding.provider": "none"}) as memory:
    session = memory.sessions.create(title="Tea")
    memory.sessions.append(session.id, "user", "The kettle is in the blue box.")
    report = memory.backup(folder / "mine.tar.zst")  # while programs go on
    print(report.files, "files,", report.bytes, "bytes")

restored = recollect.restore(folder / "mine.tar.zst", folder / "home")
print("what was there:", restored.aside)

with recollect.open(folder / "home", overrides={"embedding.provider": "none"}) as memory:
    assert memory.sessions.messages(session.id)[0].text == "The kettle is in the blue box."
# end
