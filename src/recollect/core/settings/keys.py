"""The keys of providers in the environment: the names that their own tools use."""

from __future__ import annotations

import os
from collections.abc import Mapping

KEY_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "voyage": ("VOYAGE_API_KEY",),
}
"""Provider -> the variables that may hold its key; the first one that is set counts."""


def provider_key(name: str, environ: Mapping[str, str] | None = None) -> str | None:
    """Return the key of the provider ``name``, or None where there is none.

    Args:
        name: Such as ``openai``; one that is not known has no key.
        environ: The variables; the process environment by default.
    """
    environ = os.environ if environ is None else environ
    found = (environ.get(variable, "").strip() for variable in KEY_VARIABLES.get(name, ()))
    return next((key for key in found if key), None)
