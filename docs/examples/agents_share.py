"""Two agents of one person share; a guest of one of them hears nothing of it."""

# start
import recollect

with recollect.open("agents") as memory:
    sessions = memory.sessions
    claude = sessions.open("agent:claude-code:main", project="/src/shop")
    codex = sessions.open("agent:codex:main", project="/src/shop")
    guest = sessions.open("agent:codex:telegram:direct:7")

    sessions.append(claude.id, "user", "The staging host is called kestrel.")
    for asking in (codex, guest):
        hits = memory.search("What is the staging host called?", for_session=asking.id)
        print(asking.key, [hit.snippet for hit in hits.hits])

    blog = sessions.open("agent:codex:blog", project="/src/blog", owner=True)
    sessions.append(blog.id, "user", "The staging host of the blog is called wren.")
    hits = memory.search("What is the staging host called?", near_project="/src/blog")
    print([(line.project, line.title) for line in memory.lines(hits).lines])
# end
