"""The end of a session: what stays of it, and what stays after it went on."""

# start
import tempfile

import recollect

with (
    tempfile.TemporaryDirectory() as home,
    recollect.open(home, overrides={"embedding.provider": "none"}) as memory,
):
    session = memory.sessions.create(project="/tea")
    memory.sessions.append(session.id, "user", "Make the kettle quicker.")
    memory.sessions.append(
        session.id, "assistant", "We decided on copper. Shall I descale it, too?"
    )
    memory.observations.record(session.id, "Edit", input={"file_path": "kettle.py"})
    memory.sessions.end(session.id)
    first = memory.get("e1").found[0]
    print(first.record.text)

    memory.sessions.append(session.id, "user", "Yes, and we decided on tin after all.")
    memory.sessions.end(session.id)
    again = memory.get("e1").found[0]
    print("tin" in again.record.text, "kettle.py" in again.record.text)
# end
