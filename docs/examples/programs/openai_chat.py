"""A chat with OpenAI on the command line that goes on where it stopped."""

import json
import sys
from typing import Any

from openai import OpenAI
from openai.types.chat import ChatCompletionFunctionToolParam

import recollect

hours: ChatCompletionFunctionToolParam = {
    "type": "function",
    "function": {"name": "opening_hours", "parameters": {"type": "object", "properties": {}}},
}
client = OpenAI()  # OPENAI_API_KEY

with recollect.open() as memory, memory.sessions.hold(memory.sessions.open("shop").id) as chat:
    for line in sys.stdin:
        chat.append("user", line.strip())
        system = f"You keep a tea shop.\n{chat.context(query=line).text}"
        while True:
            prompt: list[Any] = chat.view(budget_tokens=8_000).as_openai(system)
            answer = client.chat.completions.create(model="gpt-5", messages=prompt, tools=[hours])
            reply = answer.choices[0].message
            chat.append(reply)  # as it came, calls of tools included
            if not reply.tool_calls:
                break
            for call in reply.tool_calls:
                told = json.dumps({"open": "9 to 18"})
                chat.append({"role": "tool", "tool_call_id": call.id, "content": told})
        print(reply.content)
        chat.keep_within_window()
