"""A session leaves for Claude Code, and a file of Claude Code's comes back as it went."""

# start
import recollect

with recollect.open("first") as memory:
    session = memory.sessions.create(title="Tea")
    memory.sessions.append(session.id, "user", "Which teas keep?")
    memory.sessions.append(session.id, "assistant", "Pu-erh, if it is dry.", model="claude")
    report = memory.export_session(session.id, "claude-code").save("tea.jsonl")
    print(report.messages, "messages in", report.format)

with recollect.open("second") as memory:
    memory.import_transcripts("tea.jsonl")
    (session,) = memory.sessions.list()
    print(session.title, [message.text for message in memory.sessions.messages(session.id)])
# end
