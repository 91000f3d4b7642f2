"""Short numbers: what messages are called beside their ids."""

import tempfile

import recollect

# start
home = tempfile.mkdtemp()
with recollect.open(home, overrides={"embedding.provider": "none"}) as memory:
    session = memory.sessions.create(title="Tea")
    question = memory.sessions.append(session.id, "user", "Which teas keep?")
    answer = memory.sessions.append(session.id, "assistant", "Pu-erh, if it is dry.")
    print(question.number, answer.number)
    print(memory.sessions.message("m2").text)
    print(memory.sessions.find("m2").title)
    print(memory.search("message m1").hits[0].snippet)
# end
