"""Two drafts of one policy: both begin with the same conversation and then go their own way."""

# start
import recollect

with recollect.open("policy") as memory:
    sessions = memory.sessions
    brief = sessions.create(title="Returns policy")
    sessions.append(brief.id, "user", "Draft a policy for opened tins.")

    strict = sessions.fork(brief.id, title="strict")  # copies nothing
    balanced = sessions.fork(brief.id, title="balanced")
    sessions.append(strict.id, "assistant", "Opened tins are not taken back.")
    sessions.append(balanced.id, "assistant", "Opened tins are taken back within 14 days.")

    for branch in sessions.lineage(brief.id).branches:
        draft = sessions.messages(branch.session.id)
        print(branch.session.title, [message.text for message in draft])
    print(len(sessions.messages(brief.id)))  # 1: the original is as it was
# end
