"""Whether an embedder answers: asked for one word, and not too often."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.core.errors import ProviderUnavailable
from recollect.recall.probe import KEPT_MS, WORD, EmbedderProbe


class HandClock:
    """A clock that is moved by hand."""

    now = 1_000

    def now_ms(self) -> int:
        """Return its time."""
        return self.now


class AskedEmbedder:
    """Remembers what it was asked, and answers as it is told to."""

    model = "test:asked"
    fingerprint = "asked"
    dimensions = 4
    is_remote = True

    def __init__(self, answer: Callable[[], NDArray[np.float32]]) -> None:
        self.asked: list[str] = []
        self._answer = answer

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Answer for each."""
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Answer."""
        self.asked.append(text)
        return self._answer()

    def close(self) -> None:
        """Hold nothing."""


def _unit() -> NDArray[np.float32]:
    return np.array([0, 1, 0, 0], np.float32)


def _refuse() -> NDArray[np.float32]:
    raise ProviderUnavailable("nobody is there", hint="try later")


def test_an_answer_counts_for_half_a_minute() -> None:
    """Then it is asked again."""
    clock, embedder = HandClock(), AskedEmbedder(_unit)
    probe = EmbedderProbe(embedder, "", clock)
    assert probe.ask().ok
    clock.now += KEPT_MS - 1
    assert probe.ask().at == 1_000
    assert embedder.asked == [WORD]
    clock.now += 1
    assert probe.ask().at == 1_000 + KEPT_MS
    assert embedder.asked == [WORD, WORD]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (_refuse, "nobody is there"),
        (lambda: np.full(4, np.nan, np.float32), "not finite"),
        (lambda: np.ones(7, np.float32), "7 values instead of 4"),
    ],
)
def test_why_it_does_not_answer_is_told(
    answer: Callable[[], NDArray[np.float32]], error: str
) -> None:
    """With what to do."""
    found = EmbedderProbe(AskedEmbedder(answer), "", HandClock()).ask()
    assert not found.ok
    assert error in (found.error or "")
    assert found.hint


def test_without_an_embedder_nobody_is_asked() -> None:
    """The hint says how to get one."""
    found = EmbedderProbe(None, "install it", HandClock()).ask()
    assert (found.ok, found.hint) == (False, "install it")
