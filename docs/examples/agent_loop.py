"""An agent in thirty lines that remembers from one run to the next; see the page on Python."""

from tests.support.scripted_agent import ask_model, run_tool

# start
import recollect


def main(prompts: list[str]) -> None:
    with recollect.open() as memory:
        session = memory.sessions.create(project="/srv/shop")
        block = memory.context(session.id)  # what earlier sessions decided, fixed, changed
        for prompt in prompts:
            print(answer(memory, session.id, block.text, prompt))
        memory.sessions.close(session.id)  # its summary is what the next run begins with


def answer(memory: recollect.Memory, session_id: str, known: str, prompt: str) -> str:
    memory.sessions.append(session_id, "user", prompt)
    memory.observations.record(session_id, event="prompt", input=prompt)
    while True:
        view = memory.sessions.view(session_id, budget_tokens=8_000)
        reply = ask_model(system=known, messages=view.as_anthropic()["messages"])
        memory.sessions.append(session_id, "assistant", reply["content"])
        calls = [part for part in reply["content"] if part["type"] == "tool_use"]
        if not calls:
            return reply["content"][0]["text"]
        for call in calls:
            name, given = call["name"], call["input"]
            with_result = {"type": "tool_result", "tool_use_id": call["id"]}
            with_result["content"] = done = run_tool(name, given)
            memory.sessions.append(session_id, "user", [with_result])
            memory.observations.record(
                session_id, name, input=given, output=done, tool_use_id=call["id"]
            )


# end
main(["We decided to use Redis for the queue. Write that down."])
main(["Which queue do we use?"])
