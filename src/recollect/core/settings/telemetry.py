"""Packages that report to their makers: how they are kept from it.

The one place that writes the environment; `docs/adr/0005-one-write-to-the-environment.md` says why.
"""

from __future__ import annotations

import logging
import os
import sys

_SWITCH = "ORT_DISABLE_TELEMETRY"
_OFF = frozenset({"1", "true", "yes"})
"""Values that ONNX Runtime 1.31 takes as a no."""

_logger = logging.getLogger(__name__)


def forbid_telemetry() -> None:
    """Keep ONNX Runtime from reporting; to be called before each import that may load it.

    Where the program has loaded it already, a warning is logged: it cannot be stopped any more.
    """
    is_loaded = sys.modules.get("onnxruntime") is not None
    if is_loaded and os.environ.get(_SWITCH, "").lower() not in _OFF:
        _logger.warning(
            "onnxruntime was loaded before recollect without %s=1 and may report to its maker;"
            " set it where the program starts",
            _SWITCH,
        )
    os.environ[_SWITCH] = "1"
