"""The fresh process, from inside, over a scripted memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from benchmarks.datasets.synthetic import TargetedQuery
from benchmarks.load import probe
from benchmarks.load.probe import ProbeRequest, answer_probe, run_command
from benchmarks.measure.results import ProcessCost
from recollect.core.clock import SystemClock
from recollect.core.errors import StoreError

if TYPE_CHECKING:
    from tests.unit.benchmarks.conftest import ScriptedOpener


@pytest.mark.parametrize("vector_seed", [None, 3])
def test_answer_says_how_long_and_how_much(
    tmp_path: Path,
    opener: ScriptedOpener,
    monkeypatch: pytest.MonkeyPatch,
    vector_seed: int | None,
) -> None:
    """Start to answer is at least opening and the first search."""
    monkeypatch.setattr(probe, "open_product", opener)
    request = ProbeRequest(
        home=tmp_path / "home",
        mode="lexical",
        queries=[TargetedQuery(text="a b", target="a b c"), TargetedQuery(text="c", target="c")],
        vector_seed=vector_seed,
        started_ms=SystemClock().now_ms() - 50,
    )
    (tmp_path / "request").write_bytes(msgspec.json.encode(request, enc_hook=str))

    answer_probe(tmp_path / "request", tmp_path / "answer")

    cost = msgspec.json.decode((tmp_path / "answer").read_bytes(), type=ProcessCost)
    assert cost.mode == "lexical"
    assert cost.start_to_answer_ms >= 50
    assert cost.open_ms >= 0.0 <= cost.first_search_ms


def test_a_process_that_fails_tells_its_last_line() -> None:
    """The line that names the error, not the stack."""
    with pytest.raises(StoreError, match="ValueError: broken"):
        run_command([sys.executable, "-c", "raise ValueError('broken')"])


def test_a_process_that_fails_silently_is_an_error_too() -> None:
    """Its status is enough."""
    with pytest.raises(StoreError, match="no message"):
        run_command([sys.executable, "-c", "raise SystemExit(3)"])
