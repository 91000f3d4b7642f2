"""An answer that arrives in pieces: one message, and what a kill leaves of it is kept."""

# start
import recollect

with recollect.open("stream") as memory:
    sessions = memory.sessions
    session = sessions.create()
    sessions.append(session.id, "user", "Which teas keep?")
    with sessions.stream(session.id, "assistant", model="claude") as reply:
        for piece in ("Pu-erh ", "and white tea, ", "if it is dry."):
            reply.add(piece)
    print(sessions.messages(session.id)[-1].text)
# end
