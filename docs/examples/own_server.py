"""A server of one's own: an address that speaks OpenAI's wire format makes the vectors."""

# start
import tempfile

import recollect
from tests.support.provider_server import ProviderServer

with ProviderServer() as server:
    settings = {
        "embedding.provider": "openai:some-model",
        "embedding.remote.base_url": server.base_url("openai"),
    }
    with (
        tempfile.TemporaryDirectory() as home,
        recollect.open(home, overrides=settings) as memory,
    ):
        session = memory.sessions.create(key="agent:main:main")
        memory.sessions.append(session.id, "user", "The quilt for Nora is blue.")
        memory.sync()
        print(memory.search("the colour of the quilt").mode)
# end
