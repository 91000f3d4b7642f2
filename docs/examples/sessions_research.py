"""An ongoing research thread: each day a new process, the same conversation."""

# start
import recollect

TITLE = "Pu-erh storage"

with recollect.open("research") as memory:  # Monday
    session = memory.sessions.create(project="tea", title=TITLE)
    memory.sessions.append(session.id, "user", "How dry may pu-erh be stored?")
    memory.sessions.append(session.id, "assistant", "55 % is too dry; 65 % keeps it alive.")

with recollect.open("research") as memory:  # Tuesday
    session = memory.sessions.resume(TITLE)  # or .latest("tea")
    memory.sessions.append(session.id, "user", "And at 70 %?")
    view = memory.sessions.view(session.id)  # what the model is shown: all of Monday
    print([message.text for message in view.messages])
# end
