"""What embedding costs."""

from __future__ import annotations

from recollect.core.settings import RemoteSettings
from recollect.models.embedding import gemini, openai, voyage
from recollect.models.embedding.prices import LIST_PRICES, price


def test_every_default_model_has_a_price() -> None:
    """So that `--dry-run` can say what a first sync costs."""
    for wire in (openai, gemini, voyage):
        assert LIST_PRICES[f"{wire.PROVIDER}:{wire.DEFAULT_MODEL}"] > 0


def test_the_setting_goes_before_the_list() -> None:
    """An account may have a price of its own."""
    settings = RemoteSettings(price_per_million=0.5)
    assert price("openai:text-embedding-3-small", settings) == 0.5
    assert price("openai:unheard-of", RemoteSettings()) is None
