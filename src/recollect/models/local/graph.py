"""Builds the ONNX graph of all-MiniLM-L6-v2 from its weights, in float32 or with int8 matrices.

One text a run, ids in, normalised vector out; so nothing is padded or masked, and a vector never
depends on other texts (dynamic int8 scales are per tensor: a batch would share one). The graph is
written out with the operators that measured best and needs no optimiser at load. Measured on two
cores with AVX-512 VNNI, 600 chat turns of 34 pieces, one thread, turns a second of CPU (and
256-piece windows): int8 here 650 (80), float32 187 (34); the runtime's own quantisation and fusions
418 (60) one by one, 456 (47) in padded batches of eight. The difference is mostly the fused
skip-normalisation, which is four times slower than the three operators it replaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from recollect.core.errors import EmbeddingError, ModelMissing
from recollect.models.local.weights import Weights

if TYPE_CHECKING:
    import onnx

Quantisation: TypeAlias = Literal["int8", "fp32"]

GRAPH_VERSION = 1
"""Part of the fingerprint: increase it when the output of the graph changes."""
DIMENSIONS = 384
INPUT, OUTPUT = "input_ids", "vector"

_LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12
_WEIGHT_LEVELS = 63
"""Seven of the eight bits: processors without VNNI add two products in 16 bits, which overflows
with all eight. Costs .001 of cosine to float32 (.9926 to .9916 on 600 turns)."""
_EMBEDDING_LEVELS = 127
_OPSET = 20
_IR_VERSION = 9
_RUNTIME_DOMAIN = "com.microsoft"

_Floats: TypeAlias = NDArray[np.float32]


def build_graph(weights: Weights, quantisation: Quantisation) -> bytes:
    """Return the serialised graph.

    Its input is ``input_ids`` (1, pieces) int64, special pieces included; its output is
    ``vector`` (1, 384) float32, L2-normalised mean over the pieces.

    Raises:
        EmbeddingError: ``weights`` do not belong to the model.
        ModelMissing: the ``onnx`` package is not installed.
    """
    try:
        graph = _Graph(weights, quantised=quantisation == "int8")
        return graph.build()
    except KeyError as error:
        raise EmbeddingError(
            f"the weights file lacks tensor {error.args[0]}",
            hint="run `recollect models install` again",
        ) from error
    except ImportError as error:
        raise ModelMissing(
            "building the local model needs the package onnx",
            hint="install it with `pip install 'recollect[local]'`",
        ) from error


class _Graph:
    """Collects nodes and constants; every method returns the name of its result."""

    def __init__(self, weights: Weights, *, quantised: bool) -> None:
        self._weights = weights
        self._quantised = quantised
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def build(self) -> bytes:
        """Return the serialised model."""
        hidden = self._embeddings()
        for layer in range(_LAYERS):
            hidden = self._layer(hidden, f"encoder.layer.{layer}.")
        pieces_axis = self._constant("pieces_axis", np.array([1], np.int64))
        mean = self._node("ReduceMean", hidden, pieces_axis, keepdims=0)
        self._node("LpNormalization", mean, outputs=(OUTPUT,), axis=-1, p=2)
        return self._serialise()

    def _embeddings(self) -> str:
        words = self._word_embeddings(self._weights["embeddings.word_embeddings.weight"])
        # One sentence per text: the first token type is a constant, added to the positions.
        positions = (
            self._weights["embeddings.position_embeddings.weight"]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        first = self._constant("first", np.array([0], np.int64))
        count = self._node("Shape", INPUT, start=1, end=2)
        position = self._node("Slice", self._constant("places", positions), first, count)
        return self._normalise(self._node("Add", words, position), "embeddings.LayerNorm")

    def _word_embeddings(self, table: _Floats) -> str:
        if not self._quantised:
            return self._node("Gather", self._constant("words", table), INPUT)
        levels, scales = _quantise(table, axis=1, levels=_EMBEDDING_LEVELS)
        row = self._node("Gather", self._constant("words", levels), INPUT)
        scale = self._node("Gather", self._constant("words.scale", scales), INPUT)
        return self._node("Mul", self._node("Cast", row, to=_element_type("FLOAT")), scale)

    def _layer(self, hidden: str, prefix: str) -> str:
        mixed = self._attention(hidden, prefix + "attention.self.")
        mixed = self._linear(mixed, prefix + "attention.output.dense")
        mixed = self._node("Add", mixed, hidden)
        hidden = self._normalise(mixed, prefix + "attention.output.LayerNorm")
        inner = self._node("Gelu", self._linear(hidden, prefix + "intermediate.dense"))
        inner = self._node("Add", self._linear(inner, prefix + "output.dense"), hidden)
        return self._normalise(inner, prefix + "output.LayerNorm")

    def _attention(self, hidden: str, prefix: str) -> str:
        parts = [prefix + name for name in ("query", "key", "value")]
        matrix = np.concatenate([self._weights[f"{part}.weight"].T for part in parts], axis=1)
        bias = np.concatenate([self._weights[f"{part}.bias"] for part in parts])
        bias_name = self._constant(prefix + "bias", bias)
        if not self._quantised:
            names = (hidden, self._constant(prefix + "matrix", matrix), bias_name)
            return self._node("Attention", *names, domain=_RUNTIME_DOMAIN, num_heads=_HEADS)
        levels, scale, zero = self._quantised_matrix(prefix + "matrix", matrix)
        rows, row_scale, row_zero = self._quantised_rows(hidden)
        inputs = (rows, levels, bias_name, row_scale, scale, "", row_zero, zero)
        return self._node("QAttention", *inputs, domain=_RUNTIME_DOMAIN, num_heads=_HEADS)

    def _linear(self, rows: str, prefix: str) -> str:
        matrix = self._weights[prefix + ".weight"].T
        bias = self._constant(prefix + ".bias", self._weights[prefix + ".bias"])
        if not self._quantised:
            product = self._node("MatMul", rows, self._constant(prefix + ".matrix", matrix))
            return self._node("Add", product, bias)
        names = self._quantised_matrix(prefix + ".matrix", matrix)
        return self._node("DynamicQuantizeMatMul", rows, *names, bias, domain=_RUNTIME_DOMAIN)

    def _normalise(self, rows: str, prefix: str) -> str:
        gain = self._constant(prefix + ".weight", self._weights[prefix + ".weight"])
        bias = self._constant(prefix + ".bias", self._weights[prefix + ".bias"])
        return self._node("LayerNormalization", rows, gain, bias, axis=-1, epsilon=_EPSILON)

    def _quantised_matrix(self, name: str, matrix: _Floats) -> tuple[str, str, str]:
        levels, scales = _quantise(matrix, axis=0, levels=_WEIGHT_LEVELS)
        zeros = np.zeros(scales.size, np.int8)
        return (
            self._constant(name, levels),
            self._constant(name + ".scale", scales.reshape(-1)),
            self._constant(name + ".zero", zeros),
        )

    def _quantised_rows(self, rows: str) -> tuple[str, str, str]:
        outputs = (f"{rows}.rows", f"{rows}.scale", f"{rows}.zero")
        self._node("DynamicQuantizeLinear", rows, outputs=outputs)
        return outputs

    def _constant(self, name: str, values: NDArray[np.generic]) -> str:
        from onnx import numpy_helper

        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _node(
        self, kind: str, *inputs: str, outputs: Sequence[str] = (), domain: str = "", **options: Any
    ) -> str:
        from onnx import helper

        outputs = outputs or (f"{len(self._nodes)}.{kind}",)
        self._nodes.append(
            helper.make_node(kind, inputs, outputs, name=outputs[0], domain=domain, **options)
        )
        return outputs[0]

    def _serialise(self) -> bytes:
        from onnx import helper

        ids = helper.make_tensor_value_info(INPUT, _element_type("INT64"), [1, "pieces"])
        vector = helper.make_tensor_value_info(OUTPUT, _element_type("FLOAT"), [1, DIMENSIONS])
        graph = helper.make_graph(self._nodes, "minilm", [ids], [vector], self._constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIME_DOMAIN, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)
        return cast("bytes", model.SerializeToString())


def _quantise(values: _Floats, *, axis: int, levels: int) -> tuple[NDArray[np.int8], _Floats]:
    """Return int8 levels and their float32 scales, one scale per slice along ``axis``."""
    peak = np.abs(values).max(axis=axis, keepdims=True)
    scales = (np.where(peak == 0, 1, peak) / levels).astype(np.float32)
    return np.rint(values / scales).astype(np.int8), scales


def _element_type(name: str) -> int:
    import onnx

    return cast("int", onnx.TensorProto.DataType.Value(name))
