"""An assistant with a memory: what was said on one day is used on the next."""

# start
import tempfile

import recollect
from tests.support.chat_model import ChatModel, offer

model = ChatModel(  # stands in for openai:…, anthropic:… or claude-cli
    "I will remember that.", ["It hangs behind ", "the door."], "NO_REPLY"
)
offer(model)
settings = {
    "language.provider": "scripted",
    "language.uses": ["respond"],
    "sessions.owner": ["telegram:42"],
    "embedding.provider": "none",
}
KEY = "agent:main:telegram:direct:42"

with tempfile.TemporaryDirectory() as home, recollect.open(home, overrides=settings) as memory:
    memory.respond(KEY, "The cellar key hangs behind the door.", "telegram:42", debounce_ms=0)
    memory.sessions.reset(KEY)  # the next day

    for event in memory.respond_stream(KEY, "Where is the cellar key?", "telegram:42", "msg-7"):
        print(event.kind, repr(event.text))

    reply = memory.respond(KEY, "Where is the cellar key?", "telegram:42", "msg-7")
    print(reply.status, reply.text, len(model.prompts))  # the same id: one answer
    print([item.source for item in memory.responder.context_of(reply.session_id)])
    print(memory.respond(KEY, "Thanks!", "telegram:42").status)
# end
