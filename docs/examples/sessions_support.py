"""A returning customer: the case goes on exactly where it stopped, tool calls and all."""

# start
import recollect

CASE = "agent:support:email:shop:direct:ann@example.org"

with recollect.open("support") as memory:  # in March
    sessions = memory.sessions
    case = sessions.open(CASE)
    sessions.append(case.id, "user", "My kettle trips the fuse.")
    question = {"type": "tool_use", "id": "t1", "name": "order", "input": {"customer": "ann"}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "kettle K2, bought in May"}
    sessions.append(case.id, "assistant", [question])
    sessions.append(case.id, "user", [answer])
    sessions.append(case.id, "assistant", "K2 had a bad seal. I am sending a new one.")
    sessions.set_status(case.id, "archived")

with recollect.open("support") as memory:  # in April
    sessions = memory.sessions
    case = sessions.resume(sessions.list(key=CASE)[0].id)  # active again
    for call in sessions.tool_calls(case.id):
        print(call.tool_name, call.input, "->", call.result_text)
    print(case.status, sessions.messages(case.id)[-1].text)
# end
