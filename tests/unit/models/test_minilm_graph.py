"""Graph building without the real weights."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from recollect.core.errors import EmbeddingError, ModelMissing
from recollect.models.local.graph import build_graph


def test_weights_of_another_model_are_refused() -> None:
    """The message names the first tensor that is not there."""
    with pytest.raises(EmbeddingError, match=r"lacks tensor embeddings\.word_embeddings"):
        build_graph({}, "fp32")


def test_without_the_builder_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package onnx writes the graph, once."""
    monkeypatch.setitem(sys.modules, "onnx", None)
    table = np.ones((4, 384), np.float32)
    with pytest.raises(ModelMissing) as caught:
        build_graph({"embeddings.word_embeddings.weight": table}, "fp32")
    assert "recollect[local]" in caught.value.hint
