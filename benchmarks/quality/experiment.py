"""Variants: the same product under other settings, compared side by side on the same questions.

A variant is a name and settings by dotted key. Settings under ``search.`` change a ranking only, so
variants that differ there share one indexed home; a back end or any other key means another index.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from recollect.core.errors import InvalidInput
from recollect.core.settings import RankingSettings

BASE = "base"

_RANKING_ONLY = "search."
_BACKENDS = ("search.lexical.", "search.vector.")
_HINT = (
    "write it as search.limit=10, or for a comparison as name:search.limit=10,search.candidates=50"
)


PARTS: Mapping[str, tuple[str, ...]] = {
    name: ("group", "group_alone") if name == "group" else (name,)
    for name in RankingSettings.__struct_fields__
    if name != "group_alone"
}
"""The parts of a score that can be left out, and the settings that hold their weights."""


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """A named set of settings; values are texts, as they were typed."""

    name: str
    overrides: Mapping[str, str]

    def index_overrides(self) -> dict[str, str]:
        """Return the settings that decide what is in the index."""
        return {
            key: value
            for key, value in sorted(self.overrides.items())
            if key.startswith(_BACKENDS) or not key.startswith(_RANKING_ONLY)
        }


def plan_variants(
    settings: Sequence[str], comparisons: Sequence[str], left_out: Sequence[str] = ()
) -> tuple[Variant, ...]:
    """Return the base variant with ``settings``, then one per comparison, on top of the base.

    Args:
        settings: ``key=value`` each, for every variant.
        comparisons: ``name:key=value,key=value`` each.
        left_out: Names of `PARTS`; for each a variant in which it has no weight.

    Raises:
        InvalidInput: not in this form, or a name is used twice.
    """
    base = dict(_parse_setting(text) for text in settings)
    variants = [Variant(name=BASE, overrides=base)]
    for text in comparisons:
        name, colon, rest = text.partition(":")
        if not (colon and name.strip() and rest.strip()):
            raise InvalidInput("a comparison has no name or no settings", hint=_HINT)
        changed = dict(_parse_setting(part) for part in rest.split(","))
        variants.append(Variant(name=name.strip(), overrides=base | changed))
    for part in left_out:
        nothing = {f"search.ranking.{weight}": "0" for weight in PARTS[part]}
        variants.append(Variant(name=f"without {part}", overrides=base | nothing))
    if len({variant.name for variant in variants}) < len(variants):
        raise InvalidInput("two variants have the same name", hint=f"{BASE} is taken, too")
    return tuple(variants)


def _parse_setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (equals and key.strip()):
        raise InvalidInput("a setting is not in the form key=value", hint=_HINT)
    return key.strip(), value.strip()
