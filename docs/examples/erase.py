"""Erasing a conversation: a dry run, a fork in the way, the receipt."""

# start
import recollect
from recollect.core.errors import Conflict

with recollect.open("my-memory") as memory:
    session = memory.sessions.create(title="The move")
    memory.sessions.append(session.id, "user", "The new flat is in Elm Road.")
    branch = memory.sessions.fork(session.id)
    memory.sessions.append(branch.id, "user", "Or in Oak Lane?")

    try:
        memory.erase(session_id=session.id)
    except Conflict as error:
        print(error.facts["forks"] == (branch.id,))

    plan = memory.erase(session_id=session.id, with_forks=True, dry_run=True)
    print(plan.counts["sessions"], plan.counts["messages"], plan.still_held_by)
    receipt = memory.erase(session_id=session.id, with_forks=True)
    print(receipt.is_clean, memory.sessions.list(), memory.search("Elm Road").hits)
# end
