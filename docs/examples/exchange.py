"""Everything leaves one home and comes into another, once."""

# start
import recollect

with recollect.open("first") as memory:
    session = memory.sessions.create(key="agent:main:main", title="Tea")
    memory.sessions.append(session.id, "user", "Which teas keep?")
    memory.sessions.append(session.id, "assistant", "Pu-erh, if it is dry.")
    memory.observations.record(session.id, type="decision", title="Keep the Pu-erh dry")
    report = memory.export().save("memory.jsonl")
    print(report.counts["message"], "messages,", report.counts["observation"], "observation")

with recollect.open("second") as memory:
    print(memory.import_export("memory.jsonl").added)
    again = memory.import_export("memory.jsonl")
    print(again.added, again.known, "known")
    print([message.text for message in memory.sessions.messages(session.id)])
# end
