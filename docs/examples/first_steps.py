"""The first steps: keep two messages, find one of them."""

# start
import recollect

with recollect.open("my-memory") as memory:
    session = memory.sessions.create(key="telegram:42", title="Packaging")
    memory.sessions.append(session.id, "user", "No tins: they let the damp in.", name="Mira")
    memory.sessions.append(session.id, "assistant", "Noted: pouches for all tea, from June on.")
    memory.sync()

    result = memory.search("why did we not take the tins?")
    for hit in result.hits:
        print(f"{hit.score:.2f}  {hit.name or hit.role}: {hit.snippet}")
# end
