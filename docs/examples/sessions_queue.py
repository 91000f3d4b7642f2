"""A queue: one message at a time, in the order of arrival, over all threads and processes."""

# start
import threading

import recollect

with recollect.open("queue") as memory:
    sessions = memory.sessions
    session = sessions.open("agent:main:cron:inbox")
    sessions.set_mode(session.id, "queue")

    def answer(text: str) -> None:
        """Answer one message."""
        with sessions.turn(session.id):  # waits until those before are answered
            sessions.append(session.id, "user", text)
            sessions.append(session.id, "assistant", f"done: {text}")

    threads = [threading.Thread(target=answer, args=(f"job {n}",)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = [message.text for message in sessions.messages(session.id)]
    print(all(reply == f"done: {job}" for job, reply in zip(said[::2], said[1::2], strict=True)))
# end
