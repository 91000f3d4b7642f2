"""A session is given what an earlier one decided; see the page on the context block."""

# start
import recollect

with recollect.open() as memory:
    first = memory.sessions.create(project="/srv/shop")
    record = memory.observations.record
    record(first.id, event="prompt", input="We decided to use Redis for the queue.")
    record(first.id, "Edit", input={"file_path": "src/queue.py", "new_string": "import redis"})
    record(first.id, type="bugfix", title="Fixed PATH issue for cron", summary="added PATH export")

    second = memory.sessions.create(project="/srv/shop")
    block = memory.context(second.id, client="claude-code")  # goes into the prompt
    print(block.text)
    print(block.tokens <= 4_000, block.dropped, [item.number for item in block.items])
    print(block.items[0].why)

    record(first.id, event="answer", output="We decided to keep tins dry.")
    news = memory.context(second.id, reason="resume")  # only what it does not have yet
    print([item.number for item in news.items])

    (last,) = memory.context.injections(second.id)
    print(last.reason, last.tokens == news.tokens)
    (line,) = memory.context.injected(last.id).lines  # its text is made again of the record
    print(line.text)

    memory.context.exclude(line.id)  # never inject it again
    third = memory.sessions.create(project="/srv/shop")
    print([item.number for item in memory.context(third.id).items])
    memory.context.include(line.id)
# end
