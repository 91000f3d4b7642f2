"""A chat with Claude on the command line that goes on where it stopped."""

import sys

from anthropic import Anthropic
from anthropic.types import ToolParam

import recollect

hours: ToolParam = {"name": "opening_hours", "input_schema": {"type": "object", "properties": {}}}
client = Anthropic()  # ANTHROPIC_API_KEY

with recollect.open() as memory, memory.sessions.hold(memory.sessions.open("shop").id) as chat:
    for line in sys.stdin:
        chat.append("user", line.strip())
        system = f"You keep a tea shop.\n{chat.context(query=line).text}"
        while True:
            prompt = chat.view(budget_tokens=8_000).as_anthropic(system)
            reply = client.messages.create(
                model="claude-opus-4-5", max_tokens=1_000, tools=[hours], **prompt
            )
            chat.append(reply)  # as it came: thoughts, calls of tools, what it cost
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                break
            results = [
                {"type": "tool_result", "tool_use_id": call.id, "content": "9 to 18"}
                for call in calls
            ]
            chat.append("user", results)
        print("".join(block.text for block in reply.content if block.type == "text"))
        chat.keep_within_window()
