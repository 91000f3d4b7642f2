"""A context window that compacts itself: a summary stands for all but the newest messages."""

# start
import recollect

SETTINGS = {
    "sessions.context.window_tokens": 1000,  # 128,000 by default
    "sessions.context.compact_at": 0.8,
    "sessions.context.keep_messages": 20,
}

with recollect.open("window", overrides=SETTINGS) as memory:
    sessions = memory.sessions
    session = sessions.create()
    sessions.append(session.id, "user", "Remember: the café gets its delivery on Thursdays.")
    for number in range(1, 61):
        sessions.append(session.id, "user", f"How many tins are on shelf {number}?")
        sessions.append(session.id, "assistant", f"There are {number + 4} tins on it.")
        if sessions.view(session.id).is_full:
            sessions.compact(session.id)

    view = sessions.view(session.id)
    print(view.tokens <= 1000, view.through_seq > 0, "Thursdays" in (view.summary or ""))
    print(view.messages[-1].text)  # There are 64 tins on it.
    print(len(sessions.messages(session.id)))  # 121: nothing was removed
# end
