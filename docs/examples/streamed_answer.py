"""An answer in pieces, after the model has called a tool."""

# start
from collections.abc import Mapping

from recollect.core.settings import LanguageSettings
from recollect.models.language.model import Cancellation, ToolOutcome, ToolSpec, ask
from recollect.models.registry import choose_language
from tests.support.chat_formats import OpenAIChatFormat, Said
from tests.support.chat_streams import Calling
from tests.support.provider_server import ProviderServer


class Colours:
    """The tools of one answer."""

    specs = (
        ToolSpec(
            name="colour_of",
            description="Returns the colour of a thing.",
            schema={"type": "object", "properties": {"thing": {"type": "string"}}},
        ),
    )

    def call(self, name: str, arguments: Mapping[str, object]) -> ToolOutcome:
        """Return the colour."""
        return ToolOutcome(f"the {arguments['thing']} is blue")


says = [
    Said(text="Let me look.", calls=(Calling("colour_of", '{"thing": "quilt"}'),)),
    Said(text="The quilt is blue."),
]
with ProviderServer(services=[OpenAIChatFormat(lambda _: says.pop(0))]) as server:
    choice = choose_language(
        LanguageSettings(provider="openai:some-model", base_url=f"{server.origin}/openai/v1")
    )
    cancellation = Cancellation()  # .cancel() from any thread ends the answer
    if choice.model is not None:
        completion = choice.model.stream(
            ask("Which colour is the quilt?"),
            lambda piece: print(piece, end="", flush=True),
            toolbox=Colours(),
            cancellation=cancellation,
        )
        print("\n", completion.use.total, "tokens")
        choice.model.close()
# end
