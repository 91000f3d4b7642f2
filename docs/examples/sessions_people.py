"""People who share one session, each of whom hears their own turns."""

# start
import recollect

settings = {"sessions.owner": ["telegram:42"], "embedding.provider": "none"}
with recollect.open(overrides=settings) as memory:
    main = memory.sessions.open("agent:main:main")
    for sender, said in (("telegram:42", "My tea is Sencha."), ("telegram:99", "Mine is Assam.")):
        memory.sessions.append(main.id, "user", said, sender=sender)
        memory.sessions.append(main.id, "assistant", f"Noted: {said}")
    # Now the guest is answered, whose turn the newest message is.
    print([hit.snippet for hit in memory.search("tea Sencha Assam", for_session=main.id).hits])
    owners = memory.sessions.view(main.id, for_sender="telegram:42")
    print([message.text for message in owners.messages])
# end
