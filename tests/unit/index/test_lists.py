"""Questions for a list: what names a thing of the kind comes before what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recollect.core.settings import RankingSettings, SearchSettings
from tests.unit.index.scripted import ScriptedEmbedder, ScriptedFeed, ScriptedIndex, said

if TYPE_CHECKING:
    from pathlib import Path

WITHOUT = SearchSettings(ranking=RankingSettings(kind=0.0))
SAID = (
    said("m1", "Pets are a lot of work, I can tell you.", name="Ana", session="s1"),
    said("m2", "My hamster fell ill on Sunday.", name="Ana", session="s1"),
    said("m3", "Oh no, poor thing!", name="Ben", session="s1"),
    said("m4", "Pets cost money, too, my budget says so.", name="Ana", session="s2"),
    said("m5", "The rent went up again, by a lot.", name="Ana", session="s2"),
    said("m6", "My goldfish has a new tank.", name="Ana", session="s2"),
    said("m7", "Our canary sings.", name="Ben", session="s2"),
)
LIST = "What pets does Ana have?"


@pytest.mark.parametrize("embedder", [None, ScriptedEmbedder()])
def test_things_of_the_kind_and_person_come_before_other_messages(
    tmp_path: Path, embedder: ScriptedEmbedder | None
) -> None:
    """With the part that they owe it to; those of another person behind them."""
    with ScriptedIndex(tmp_path / "with", ScriptedFeed(*SAID), embedder) as home:
        hits = home.ask(LIST).hits
        other = home.ask("What budget does Ana have?").hits
    with ScriptedIndex(tmp_path / "without", ScriptedFeed(*SAID), embedder, WITHOUT) as home:
        plain = home.refs(LIST)
        plain_other = home.ask("What budget does Ana have?").hits

    refs = [hit.ref for hit in hits]
    assert {hit.ref for hit in hits if "kind" in hit.why} == {"m2", "m6", "m7"}
    assert all(sum(hit.why.values()) == pytest.approx(hit.score, abs=1e-5) for hit in hits)
    assert refs.index("m6") < plain.index("m6") or refs.index("m2") < plain.index("m2")
    assert refs.index("m6") < refs.index("m7")
    assert set(refs) == set(plain)
    assert [(h.ref, h.score) for h in other] == [(h.ref, h.score) for h in plain_other]


@pytest.mark.parametrize(
    "question", ["When did Ana buy a pet?", "pets", "Does Ana like the pets?", "Ana's budget"]
)
def test_other_questions_are_ranked_as_before(tmp_path: Path, question: str) -> None:
    """Score for score."""
    with ScriptedIndex(tmp_path / "with", ScriptedFeed(*SAID)) as home:
        hits = [(hit.ref, hit.score) for hit in home.ask(question).hits]
    with ScriptedIndex(tmp_path / "without", ScriptedFeed(*SAID), search=WITHOUT) as home:
        assert hits == [(hit.ref, hit.score) for hit in home.ask(question).hits]


def test_a_thing_alone_is_an_answer_without_vectors(tmp_path: Path) -> None:
    """Also where neither the message nor its session has a word of the question."""
    alone = (
        said("m1", "My hamster fell ill on Sunday.", session="s1"),
        said("m2", "The rent went up again.", session="s2"),
    )
    with ScriptedIndex(tmp_path / "with", ScriptedFeed(*alone)) as home:
        (hit,) = home.ask("which pets do I have?").hits
        assert hit.ref == "m1"
        assert hit.why["kind"] > 0
        assert sum(hit.why.values()) == pytest.approx(hit.score, abs=1e-5)
    with ScriptedIndex(tmp_path / "without", ScriptedFeed(*alone), search=WITHOUT) as home:
        assert not home.ask("which pets do I have?").hits
