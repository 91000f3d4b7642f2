"""A group: what was learnt from one person is not told to it, and less is allowed in it."""

# start
import recollect

SETTINGS = {
    "sessions.groups.mentions": ["@heron"],
    "sessions.identity_links": ["ann=telegram:42", "ann=slack:U7"],  # one person
}

with recollect.open("groups", overrides=SETTINGS) as memory:
    sessions = memory.sessions
    direct = sessions.open(sessions.key_for("main", "telegram", "42"))
    slack = sessions.open(sessions.key_for("main", "slack", "U7"))
    key = sessions.key_for("main", "slack", "C1", chat_type="group")
    group = sessions.open(key)

    sessions.append(direct.id, "user", "The party for Jo is on Friday, it is a surprise.")
    for asking in (direct, slack, group):
        hits = memory.search("When is the party?", for_session=asking.id).hits
        print(asking.key, [hit.snippet for hit in hits])

    rules = sessions.rules(group.id)
    print(rules.mode, rules.sandbox, rules.file_access, rules.browser_access)
    print(rules.allows("weather"), rules.allows("email"))  # True False

    # Nobody called the agent: keep what was said until somebody does.
    sessions.history.add(key, "Jo", "I am off on Friday.")
    question = "@heron what is Jo doing on Friday?"
    if sessions.is_addressed(group.id, question):
        print(sessions.history.render(key, "Ann", question))
        sessions.history.clear(key)
# end
