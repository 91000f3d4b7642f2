"""The only module that talks to ONNX Runtime: opens a graph, runs it, translates its errors.

The runtime is imported at the first use; it costs a tenth of a second and 20 MB.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.core.errors import EmbeddingError, ModelMissing
from recollect.core.settings import forbid_telemetry
from recollect.models.embedding.embedder import Vectors
from recollect.models.local.graph import INPUT, OUTPUT

RUNTIME_HINT = "install it with `pip install 'recollect[local]'`"

_LOG_ERRORS_ONLY = 3


def runtime_is_installed() -> bool:
    """Tell whether ONNX Runtime is there, without importing it."""
    return importlib.util.find_spec("onnxruntime") is not None


class OnnxSession:
    """A loaded graph. Safe to run in several threads at once; each run uses one core.

    Args:
        graph: The serialised graph, see `recollect.models.local.graph`.

    Raises:
        ModelMissing: the runtime is not installed.
        EmbeddingError: the runtime cannot load the graph.
    """

    def __init__(self, graph: bytes) -> None:
        forbid_telemetry()
        try:
            import onnxruntime
        except ImportError as error:
            raise ModelMissing(
                "the local model needs the package onnxruntime", hint=RUNTIME_HINT
            ) from error
        self._failures = _failures()
        try:
            self._session = onnxruntime.InferenceSession(
                graph, _options(onnxruntime), providers=["CPUExecutionProvider"]
            )
        except self._failures as error:
            raise _failed("load the model", error) from error

    def run(self, ids: NDArray[np.int64]) -> Vectors:
        """Return the vector of one window: ``ids`` is (1, pieces), the result (1, 384).

        Raises:
            EmbeddingError: the runtime failed.
        """
        try:
            vectors: Vectors = self._session.run([OUTPUT], {INPUT: ids})[0]
        except self._failures as error:
            raise _failed("run the model", error) from error
        return vectors


def _options(onnxruntime: Any) -> Any:
    options = onnxruntime.SessionOptions()
    # Parallel are the texts, not the parts of one text: no threads of the runtime's own.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _LOG_ERRORS_ONLY
    # The graph is written the way it runs best; the optimiser would make it slower.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return options


def _failures() -> tuple[type[Exception], ...]:
    """Return the runtime's error classes, which share no parent of their own."""
    from onnxruntime.capi import onnxruntime_pybind11_state as native

    found = [value for value in vars(native).values() if isinstance(value, type)]
    return tuple(value for value in found if issubclass(value, Exception))


def _failed(what: str, error: Exception) -> EmbeddingError:
    return EmbeddingError(
        f"the runtime could not {what} ({type(error).__name__})",
        hint="run `recollect models install` again; if that does not help, "
        "`pip install --upgrade onnxruntime`",
    )
