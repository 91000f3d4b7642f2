"""Which providers take batches, and with which adapter."""

from __future__ import annotations

from recollect.models.budget import DailyBudget
from recollect.models.gemini import GeminiWire
from recollect.models.gemini_batches import GeminiBatches
from recollect.models.openai import OpenAIWire
from recollect.models.openai_batches import OpenAIBatches, OpenAIDialect
from recollect.models.provider_client import ProviderClient
from recollect.models.remote_batches import EmbeddingBatches
from recollect.models.voyage import VoyageWire
from recollect.models.voyage_batches import VoyageDialect
from recollect.models.wire import Wire


def open_batches(
    wire: Wire, client: ProviderClient, base_url: str, budget: DailyBudget | None
) -> EmbeddingBatches | None:
    """Return the batches of a provider; None where it has none. Asks nobody.

    Args:
        wire: How the provider is asked directly.
        client: Asks it.
        base_url: Where the client's paths start.
        budget: Limits the tokens of a day; None where nobody bills.
    """
    match wire:
        case GeminiWire():
            return GeminiBatches(client, wire, budget, base_url)
        case VoyageWire():
            return OpenAIBatches(client, wire, budget, VoyageDialect())
        case OpenAIWire():
            return OpenAIBatches(client, wire, budget, OpenAIDialect())
        case _:
            return None
