"""What the tests of language models share: the two providers, set up against the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import msgspec

from recollect.core.settings import LanguageSettings
from recollect.models.budget import MemorySpending, Spending
from recollect.models.dependencies import Dependencies
from recollect.models.language.model import LanguageModel
from recollect.models.language.registry import choose_language
from tests.support.chat_formats import AnthropicFormat, OpenAIChatFormat
from tests.support.provider_server import ProviderServer
from tests.support.scripted_time import ScriptedTime

PROVIDERS = ("openai", "anthropic")
KEY = "a-made-up-key"
FORMATS = {"openai": OpenAIChatFormat, "anthropic": AnthropicFormat}


class Chat:
    """A server with both formats, and models that ask it.

    Attributes:
        says: What the models say next, the last of them for ever.
        knows: The ways to ask for JSON that the server takes.
    """

    def __init__(self, server_with: Callable[..., ProviderServer] = ProviderServer) -> None:
        self.says: list[Any] = ["the answer is tea"]
        self.time = ScriptedTime()
        self.spending: Spending = MemorySpending()
        self.formats = {
            name: make(self._speak, key=KEY, knows=["schema", "object"])
            for name, make in FORMATS.items()
        }
        self.server = server_with(key=KEY, services=list(self.formats.values()))

    def knows(self, *ways: str) -> None:
        """Let the server take these ways to ask for JSON only."""
        for one in self.formats.values():
            one.knows = ways

    def settings(self, provider: str, **changes: object) -> LanguageSettings:
        """Return settings that lead to the server."""
        base_url = self.server.origin + self.formats[provider].prefix
        given: dict[str, object] = {"provider": f"{provider}:m", "base_url": base_url}
        return msgspec.convert(given | {"api_key": KEY} | changes, LanguageSettings)

    def model(self, provider: str, **changes: object) -> AbstractContextManager[LanguageModel]:
        """Return a model that waits for nothing; closed at the end of the block."""
        found = choose_language(self.settings(provider, **changes), self.dependencies()).model
        assert found is not None
        return closing(found)

    def dependencies(self, environ: Mapping[str, str] | None = None) -> Dependencies:
        """Return what models are made with here."""
        return Dependencies(
            models=Path(),
            spending=self.spending,
            clock=self.time,
            retry_clock=self.time.retry_clock(),
            environ=environ or {},
        )

    def bodies(self) -> list[Any]:
        """Return what was asked, decoded."""
        return [each.json for each in self.server.received]

    def _speak(self, messages: object) -> Any:
        return self.says.pop(0) if len(self.says) > 1 else self.says[0]
