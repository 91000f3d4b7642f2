"""A question of one language finds what was said in another."""

# start
import tempfile

import recollect

settings = {"embedding.provider": "local:universal-sentence-encoder-multilingual"}
with tempfile.TemporaryDirectory() as home, recollect.open(home, overrides=settings) as memory:
    session = memory.sessions.create(key="agent:main:main")
    memory.sessions.append(session.id, "user", "The landlord puts the rent up in July.")
    memory.sessions.append(session.id, "user", "Der Zahnarzt zieht den Weisheitszahn am Montag.")
    memory.sync()
    print(memory.search("Quando sobe a renda?").hits[0].snippet)  # The landlord puts …
    print(memory.search("哪天拔智齿？").hits[0].snippet)  # Der Zahnarzt …
# end
