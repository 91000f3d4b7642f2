"""Capture: a pause, a folder that is off, and what a program stores itself."""

# start
from pathlib import Path

import recollect

folder = Path("clients/acme").absolute()
folder.mkdir(parents=True)

with recollect.open("my-memory") as memory:
    memory.capture.pause(for_ms=3_600_000)
    session = memory.sessions.create(project=str(folder))
    memory.sessions.append(session.id, "user", "A program's own words are stored.")
    chat = Path("chat.jsonl")
    said = '{"role": "user", "content": "Others wait.", "timestamp": "2026-05-01T09:00:00Z"}'
    chat.write_text(said + "\n", encoding="utf-8")
    report = memory.import_transcripts(chat)
    print(report.messages, "messages,", report.excluded, "transcript left unread")

    memory.capture.resume()
    print(memory.import_transcripts(chat).messages, "message after the pause")

    (folder.parent / ".recollect-off").touch()
    found = memory.capture.check(str(folder))
    print(found.is_captured, [refusal.reason for refusal in found.refusals])
# end
