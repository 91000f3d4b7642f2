"""What is derived from stored records: summaries of sessions, texts of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.assembly.resources import Resources

if TYPE_CHECKING:  # imported on first use
    from recollect.governance.use_preview import UsePreview
    from recollect.models.language.model import LanguageModel
    from recollect.sessions.context.episode_writer import EpisodeWriter


def episode_writer(resources: Resources) -> EpisodeWriter:
    """Return the writer of the summaries of sessions."""
    from recollect.observations.deeds import deeds_of
    from recollect.sessions.context.episode_writer import EpisodeWriter

    tokens = resources.resolved.settings.sessions.retention.episode_tokens
    return EpisodeWriter(resources.records, resources.clock, resources.ids, tokens, deeds_of)


def digest_with(resources: Resources, model: LanguageModel, stopping: Callable[[], bool]) -> int:
    """Run the enabled uses of the language model; return how many records it rewrote."""
    settings, done = resources.resolved.settings, 0
    if resources.records.is_read_only:
        return done
    redactor, scope, clock = resources.redactor, resources.scope, resources.clock
    redacted = str if redactor is None else redactor.text
    if "episodes" in settings.language.uses:
        from recollect.sessions.episode_digest import EpisodeDigest

        writer = episode_writer(resources)
        done += EpisodeDigest(
            resources.records, clock, writer, model, redacted=redacted, scope=scope
        ).run(stopping)
    if "observations" in settings.language.uses:
        from recollect.audience.visibility import group_of_turn
        from recollect.observations.digest import ObservationDigest

        done += ObservationDigest(
            resources.records,
            clock,
            model,
            group_of=lambda place: group_of_turn(place, resources.owner).name,
            redacted=redacted,
            scope=scope,
        ).run(stopping)
    return done


def preview_of(resources: Resources) -> list[UsePreview]:
    """Return what each use of a language model takes in a day; see `Memory.preview_uses`."""
    from recollect.governance.use_preview import preview_uses
    from recollect.models.prices import Price, language_price

    settings = resources.resolved.settings
    model = None if resources.language is None else resources.language.model
    price: Price | None = None
    if model is not None:
        is_billed = model.is_remote
        price = language_price(model.name, settings.language) if is_billed else Price(0.0)
    return preview_uses(
        resources.records,
        resources.scope.tenant,
        settings.language,
        now_ms=resources.clock.now_ms(),
        episode_tokens=settings.sessions.retention.episode_tokens,
        price=price,
    )
