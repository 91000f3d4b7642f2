"""The environment of an agent's command that is started as a language model.

Few variables: what finds its programs, its settings and its account. One more guards against a
circle: the command may be an agent that calls our hooks, and a hook must not ask it again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

GUARD = "RECOLLECT_INSIDE"
"""Set in every command that is started as a model: inside of it no model is asked."""

_NAMES = frozenset(
    {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TMPDIR",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "NODE_EXTRA_CA_CERTS",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
        "CLOUD_ML_REGION",
        "GOOGLE_APPLICATION_CREDENTIALS",
    }
)
_PREFIXES = ("ANTHROPIC_", "AWS_")


def agent_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return all variables of the command; ``environ`` is the process environment by default."""
    environ = os.environ if environ is None else environ
    kept = {
        name: value
        for name, value in environ.items()
        if name in _NAMES or name.startswith(_PREFIXES)
    }
    return kept | {"PATH": kept.get("PATH") or os.defpath, GUARD: "1"}


def is_inside(environ: Mapping[str, str] | None = None) -> bool:
    """Tell whether this process was started by a command that serves as a model."""
    environ = os.environ if environ is None else environ
    return environ.get(GUARD, "") not in {"", "0"}
