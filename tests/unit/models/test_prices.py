"""What embedding costs."""

from __future__ import annotations

import pytest

from recollect.core.settings import RemoteSettings
from recollect.models.embedding import gemini, openai, voyage
from recollect.models.embedding.prices import LIST_PRICES, estimate_cost, price


def test_every_default_model_has_a_price() -> None:
    """So that `--dry-run` can say what a first sync costs."""
    for wire in (openai, gemini, voyage):
        assert LIST_PRICES[f"{wire.PROVIDER}:{wire.DEFAULT_MODEL}"] > 0


def test_the_setting_goes_before_the_list() -> None:
    """An account may have a price of its own."""
    settings = RemoteSettings(price_per_million=0.5)
    assert price("openai:text-embedding-3-small", settings) == 0.5
    assert price("openai:unheard-of", RemoteSettings()) is None


def test_a_million_tokens_cost_the_price() -> None:
    """Texts are counted, their tokens estimated."""
    texts = ["one two three four"] * 250
    found = estimate_cost(iter(texts), 2.0)
    assert (found.texts, found.tokens) == (250, 1_000)
    assert found.usd == pytest.approx(0.002)
    assert estimate_cost(texts, None).usd is None
    assert estimate_cost([], 2.0).tokens == 0
