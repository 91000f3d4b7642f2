"""What OpenClaudeCode's SessionManager does, call by call."""

# start
import recollect

SETTINGS = {"sessions.fresh.idle_minutes": 240}  # maxSessionAge: 4 hours, the default here too

with recollect.open("gateway", overrides=SETTINGS) as memory:
    sessions = memory.sessions
    key = "telegram:5054873275"  # {channel}:{userId}

    session = sessions.open(key)  # getOrCreate(channel, userId)
    sessions.append(session.id, "user", "Hello", metadata={"from": "Mira"})  # appendMessage
    sessions.append(session.id, "assistant", "Good morning")
    recent = sessions.messages(session.id, limit=20)  # loadTranscript(sessionId, limit)
    print([message.text for message in recent])

    fresh = sessions.reset(key)  # resetSession: /new
    print(fresh.previous_id == session.id, sessions.get(session.id).status)
    print(sessions.list(key=key, status="active")[0].id == fresh.id)  # getSession
    print(len(sessions.list()))  # listSessions
    print(sessions.compact(session.id, keep_messages=1).outcome)  # compactSession
# close() at the end of the block; the transcript stands in gateway/transcripts/<id>.jsonl
# end
