"""The only module that talks to ONNX Runtime: opens a graph, runs it, translates its errors.

The runtime is imported at the first use; it costs a tenth of a second and 20 MB.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.core.errors import EmbeddingError, ModelMissing
from recollect.core.settings import forbid_telemetry
from recollect.models.embedding.embedder import Vectors
from recollect.models.local.graph import INPUT, OUTPUT

INSTALL_AGAIN = (
    "run `recollect models install` again; if that does not help, "
    "`pip install --upgrade onnxruntime`"
)
RUNTIME_HINT = "install it with `pip install 'recollect[local]'`"

_LOG_ERRORS_ONLY = 3


def runtime_is_installed() -> bool:
    """Return whether ONNX Runtime is installed, without importing it."""
    return importlib.util.find_spec("onnxruntime") is not None


class OnnxSession:
    """A loaded graph. Safe to run in several threads at once; each run uses one core.

    Args:
        graph: The serialised graph, see `recollect.models.local.graph`, or its file, with large
            tensors possibly beside it.
        optimises: Whether the runtime optimises the graph first, which ours does not need.
        hint: What to do when it fails.

    Raises:
        ModelMissing: the runtime is not installed.
        EmbeddingError: the runtime cannot load the graph.
    """

    def __init__(
        self, graph: bytes | Path, *, optimises: bool = False, hint: str = INSTALL_AGAIN
    ) -> None:
        self._hint = hint
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
                graph, _options(onnxruntime, optimises), providers=["CPUExecutionProvider"]
            )
        except self._failures as error:
            raise self._failed("load the model", error) from error
        self.inputs: dict[str, str] = {each.name: each.type for each in self._session.get_inputs()}
        self.outputs: dict[str, list[Any]] = {
            each.name: each.shape for each in self._session.get_outputs()
        }

    def run(self, ids: NDArray[np.int64]) -> Vectors:
        """Return the vector of one window: ``ids`` is (1, pieces), the result (1, 384).

        Raises:
            EmbeddingError: the runtime failed.
        """
        return self.compute(OUTPUT, {INPUT: ids})

    def compute(self, output: str, inputs: Mapping[str, NDArray[Any]]) -> Vectors:
        """Return one output of the graph, as float32.

        Raises:
            EmbeddingError: the runtime failed.
        """
        try:
            values: NDArray[Any] = self._session.run([output], dict(inputs))[0]
        except self._failures as error:
            raise self._failed("run the model", error) from error
        return values.astype(np.float32, copy=False)

    def _failed(self, what: str, error: Exception) -> EmbeddingError:
        return EmbeddingError(
            f"the runtime could not {what} ({type(error).__name__})", hint=self._hint
        )


def _options(onnxruntime: Any, optimises: bool) -> Any:
    options = onnxruntime.SessionOptions()
    # Texts run in parallel, not the parts of one text: no threads of the runtime's own.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _LOG_ERRORS_ONLY
    # Our own graph is already in the fastest form; the optimiser would make it slower.
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = (
        levels.ORT_ENABLE_ALL if optimises else levels.ORT_DISABLE_ALL
    )
    return options


def _failures() -> tuple[type[Exception], ...]:
    """Return the runtime's error classes, which have no common base class."""
    from onnxruntime.capi import onnxruntime_pybind11_state as native

    classes = [value for value in vars(native).values() if isinstance(value, type)]
    return tuple(value for value in classes if issubclass(value, Exception))
