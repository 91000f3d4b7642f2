"""Erasing what one person said in a group, and nothing else."""

# start
import recollect

with recollect.open("my-memory") as memory:
    group = memory.sessions.open("agent:main:telegram:group:-100")
    for sender, said in (("telegram:7", "I moved to Elm Road."), ("telegram:8", "I did not.")):
        memory.sessions.append(group.id, "user", said, sender=sender)
    memory.sessions.append(
        memory.sessions.open("agent:main:telegram:direct:7").id, "user", "Elm Road, as I said."
    )

    plan = memory.erase(user_id="telegram:7", dry_run=True)
    print(plan.counts["sessions"], plan.counts["messages"], len(plan.partial_ids))
    memory.erase(user_id="telegram:7")
    print([message.text for message in memory.sessions.messages(group.id)])
    print(memory.search("Elm Road").hits)
# end
