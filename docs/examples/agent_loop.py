"""An agent in thirty lines that remembers from one run to the next; see the page on Python."""

import recollect
from tests.support.scripted_agent import ask_model, run_tool  # your model, your tools


# start
def run(prompts: list[str]) -> None:
    """Answer prompts; what earlier runs decided, fixed and changed is known."""
    with recollect.open() as memory:
        session = memory.sessions.create(project="/srv/shop")
        known = memory.context(session.id).text
        for prompt in prompts:
            memory.sessions.append(session.id, "user", prompt)
            memory.observations.record(session.id, event="prompt", input=prompt)
            print(answer(memory, session.id, known))
        memory.sessions.set_status(session.id, "archived")  # writes its summary


def answer(memory: recollect.Memory, session_id: str, known: str) -> str:
    """Ask the model until it calls no tool any more; return what it says."""
    while True:
        prompt = memory.sessions.view(session_id, budget_tokens=8_000).as_anthropic(known)
        reply = ask_model(**prompt)
        memory.sessions.append(session_id, "assistant", reply["content"])
        calls = [block for block in reply["content"] if block["type"] == "tool_use"]
        if not calls:
            return str(reply["content"][0]["text"])
        results = []
        for call in calls:
            use = {"tool_name": call["name"], "input": call["input"], "tool_use_id": call["id"]}
            output = run_tool(call["name"], call["input"])
            memory.observations.record(session_id, **use, output=output)
            results += [{"type": "tool_result", "tool_use_id": call["id"], "content": output}]
        memory.sessions.append(session_id, "user", results)


# end
run(["We decided to use Redis for the queue. Write that down."])
run(["Which queue do we use?"])
