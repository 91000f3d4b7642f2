"""What an agent did: every field and type of the agent plan."""

# start
import recollect

with recollect.open("my-memory") as memory:
    session = memory.sessions.create(project="/srv/briefing")
    made = memory.observations.record(
        session.id,
        tool_name="Edit",
        input={"file_path": "briefing.sh", "old_string": "gog", "new_string": "PATH=/opt gog"},
        output={"filePath": "briefing.sh"},
        summary="Fixed PATH issue for cron - added explicit PATH export",
        importance=0.7,
        type="bugfix",
        tool_use_id="toolu_1",
    )
    print(f"#{made.number}", made.type, made.tool_name, made.importance, made.files, made.trust)

    # The rest is made by rule where it is not given. A second copy is the first one.
    again = memory.observations.record(session.id, tool_name="Edit", tool_use_id="toolu_1")
    print(again == made)
    for tool, given in {
        "Write": {"file_path": "docs/adr/0007-queue.md", "content": "Redis."},
        "Bash": {"command": "git commit -m 'Rename the queue'"},
        "WebSearch": {"query": "redis streams"},
        "Read": {"file_path": "queue.py"},
        "TodoWrite": {"todos": []},
        "NotebookEdit": {"notebook_path": "plan.ipynb"},
        "mcp__github__create_issue": {"title": "Cron"},
    }.items():
        each = memory.observations.record(session.id, tool, input=given)
        print(f"#{each.number} {each.type} {each.importance}: {each.title}")
    said = "We decided to use Redis for the queue."
    asked = memory.observations.record(session.id, input=said, event="prompt")
    print(f"#{asked.number} {asked.type} {asked.importance}: {asked.title} ({asked.trust})")

    # Three steps: the index line finds it, details come by number.
    hit = memory.search("cron PATH", sources=["observations"]).hits[0]
    batch = memory.observations.get([f"#{hit.number}", "#99"])
    print(hit.citation, [each.number for each in batch.found], batch.missing, batch.tokens < 1_000)

    # What it says by rule can be corrected; input and output are evidence and stay.
    print(memory.observations.update("#1", title="PATH of cron fixed", importance=0.9).title)
    memory.observations.forget("#1")
    print(memory.observations.get("#1").missing, len(memory.observations.list()))
    memory.observations.restore("#1")
# end
