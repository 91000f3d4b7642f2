"""A language model of one's own: it writes the summary of a session, and answers as a value."""

# start
import tempfile

import msgspec

import recollect
from recollect.core.settings import LanguageSettings
from recollect.models.language.model import ask
from recollect.models.language.structured_output import complete_as
from recollect.models.registry import choose_language
from tests.support.chat_formats import OpenAIChatFormat
from tests.support.provider_server import ProviderServer


class Fact(msgspec.Struct):
    """What the model is asked for: its answer is checked against this."""

    text: str
    importance: int


def speak(messages: object) -> str:
    """Stand in for a model: an answer where JSON is asked for, else a summary."""
    if "importance" in str(messages):
        return '{"text": "Nora wants blue", "importance": 7}'
    return "- Nora: the quilt must be blue."


with ProviderServer(services=[OpenAIChatFormat(speak)]) as server:
    settings = {
        "language.provider": "openai:some-model",
        "language.base_url": f"{server.origin}/openai/v1",
        "embedding.provider": "none",
    }
    with (
        tempfile.TemporaryDirectory() as home,
        recollect.open(home, overrides=settings) as memory,
    ):
        session = memory.sessions.create(key="agent:main:main")
        memory.sessions.append_many(session.id, [("user", "The quilt is blue.")] * 30)
        compacted = memory.sessions.compact(session.id).compaction
        print(compacted.summary if compacted else "", memory.status().language.model)

    choice = choose_language(
        LanguageSettings(provider="openai:some-model", base_url=f"{server.origin}/openai/v1")
    )
    if choice.model is not None:
        found = complete_as(choice.model, ask("What of the importance of blue?"), Fact)
        print(found.value.text, found.value.importance)
        choice.model.close()
# end
