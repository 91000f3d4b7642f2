"""Tokens: who calls, as whom they hear, and where they may write."""

# start
import recollect
from recollect.caller import Callers
from recollect.pool import MemoryPool

with MemoryPool("my-memory") as pool:
    memory = pool.memory()
    diary = memory.sessions.create("diary")
    memory.sessions.append(diary.id, "user", "The harvest is on Monday.")

    bot = memory.tokens.add("bot", audience="shared", rights="write")
    caller = Callers(pool).of(bot.text)

    session = caller.writes_to("notes")
    caller.memory.sessions.append(session.id, "user", "The bot counts the harvest.")
    found = caller.memory.search("harvest", for_session=caller.for_session())
    print([hit.snippet for hit in found.hits])

    for refused in (
        lambda: caller.session("diary"),
        lambda: caller.writes_to("telegram:42"),
        lambda: caller.require("admin"),
    ):
        try:
            refused()
        except recollect.RecollectError as error:
            print(error.code)

    memory.tokens.revoke("bot")
    print([(entry.action, entry.actor) for entry in memory.audit.latest()])
# end
