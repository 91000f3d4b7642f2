"""Numbers of people and their accounts, taken out because the owner asks for it."""

# start
import recollect

kinds = {"privacy.kinds": ["cards", "iban", "national-ids"]}

with recollect.open("my-memory", overrides=kinds) as memory:
    session = memory.sessions.create(title="The booking")
    text = "Paid with 4111 1111 1111 1111, order 4111 1111 1111 1112, my SSN is 078051120."
    said = memory.sessions.append(session.id, "user", text)
    print(said.text)
# end

assert said.text.count("[redacted:card:") == said.text.count("[redacted:national-id:") == 1
assert "order 4111 1111 1111 1112" in said.text
assert "078051120" not in said.text
