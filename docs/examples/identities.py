"""One person behind two accounts, linked while programs run."""

# start
import recollect

settings = {"sessions.owner": ["telegram:42"], "embedding.provider": "none"}
with recollect.open(overrides=settings) as memory:
    chats = [memory.sessions.open(f"{each}:direct:7") for each in ("signal", "discord")]
    for chat, said in zip(chats, ("My tea is Sencha.", "My tea pot is blue."), strict=True):
        memory.sessions.append(chat.id, "user", said)

    person = memory.identities.resolve("signal", "7")
    memory.identities.link(person, "discord", "7")  # by the owner
    print(len(memory.search("tea", for_session=chats[1].id).hits))

    memory.identities.unlink("discord", "7")
    print(len(memory.search("tea", for_session=chats[1].id).hits))

    # "I'm 7 on Signal, too": show the code there; who types it here is the same person.
    given = memory.identities.code("signal", "7")
    known = memory.identities.confirm("discord", "7", given.code)
    print([(each.account, each.made_by) for each in known.accounts])
# end
