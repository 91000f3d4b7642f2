"""What is redacted, wherever it stands; the secrets are made up and put together here."""

# start
import recollect
from recollect.core.errors import InvalidInput

token = "ghp_" + "a1B2c3" * 6

with recollect.open("my-memory") as memory:
    session = memory.sessions.create(title="The move")
    said = memory.sessions.append(session.id, "user", f"**Password:** sun7set42, and {token}")
    print(said.text)

    try:
        memory.sessions.append(session.id, "user", "Hello", event_id=token)
    except InvalidInput as error:
        print(error.message)
# end

assert "sun7set42" not in said.text
assert token not in said.text
assert said.text.startswith("**Password:** [redacted:password:")
