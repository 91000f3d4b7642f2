"""What models and their answers cost."""

from __future__ import annotations

import pytest

from recollect.core.bill import TokenUse
from recollect.core.settings import LanguageSettings, RemoteSettings
from recollect.models.embedding.wires import GeminiWire, OpenAIWire, VoyageWire
from recollect.models.language.anthropic import AnthropicMessages
from recollect.models.language.openai import OpenAIChat
from recollect.models.prices import Price, embedding_price, language_price, list_prices

USE = TokenUse(input=1_000_000, output=1_000_000, cache_read=1_000_000, cache_write=1_000_000)


def test_every_default_model_has_a_price() -> None:
    """So that `--dry-run` can say what a first sync costs, and the status what a day cost."""
    for wire in (OpenAIWire, GeminiWire, VoyageWire):
        assert list_prices()[f"{wire.provider}:{wire.default_model}"].input > 0
    for chat in (OpenAIChat, AnthropicMessages):
        assert list_prices()[f"{chat.provider}:{chat.default_model}"].output > 0


def test_the_setting_goes_before_the_list() -> None:
    """An account may have a price of its own."""
    settings = RemoteSettings(price_per_million=0.5)
    assert embedding_price("openai:text-embedding-3-small", settings) == 0.5
    assert embedding_price("openai:unheard-of", RemoteSettings()) is None


def test_a_cache_has_prices_of_its_own() -> None:
    """Shares of the price of what is read."""
    price = Price(input=1.0, output=5.0, cache_read=0.1, cache_write=1.25)
    assert price.usd(USE) == pytest.approx(1.0 + 5.0 + 0.1 + 1.25)


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("openai:gpt-5-mini", 2.0),
        ("openai:gpt-5-mini-2025-08-07", 2.0),
        ("anthropic:claude-haiku-4-5-20251001", 5.0),
        ("openai:gpt-5-mini-turbo", None),
        ("openai:llama", None),
    ],
)
def test_a_dated_name_has_the_price_of_its_model(name: str, output: float | None) -> None:
    """Another name has none."""
    price = language_price(name, LanguageSettings())
    assert (price.output if price else None) == output


def test_the_settings_go_before_the_list() -> None:
    """An account may have prices of its own; what is not given stays."""
    listed = list_prices()["openai:gpt-5-mini"]
    price = language_price("openai:gpt-5-mini", LanguageSettings(input_price=9.0))
    assert price == Price(input=9.0, output=listed.output)
    unlisted = language_price("openai:x", LanguageSettings(output_price=2.0))
    assert unlisted == Price(input=0.0, output=2.0, cache_read=1.0, cache_write=1.0)
