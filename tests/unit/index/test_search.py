"""The search: candidates, exact vectors, scores that explain themselves, a stable order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from recollect.core.scope import Scope
from recollect.core.settings import SearchSettings
from recollect.index.model.document import Document
from tests.unit.index.scripted import (
    NOON,
    ScriptedEmbedder,
    ScriptedFeed,
    ScriptedIndex,
    note,
    said,
)

WORDS = (
    "apple bread cellar dragon engine forest garden harbour island jungle kitchen ladder market"
    " needle orange pepper quarry river silver tunnel valley window yellow zebra candle bridge"
).split()
SMALL = SearchSettings(exact_below=0, candidates=10, posting_budget=1_000)
"""What makes even a small index choose candidates."""
QUESTIONS = ("apple bread", "What did Ann say of the dragon?", "Where is my ladder?", "zebra")


def _corpus(count: int = 300, sessions: int = 12) -> list[Document]:
    """Random messages of two people and an assistant in some sessions."""
    draw = random.Random(7)
    speakers = [("Ann", "user"), ("Bob", "user"), (None, "assistant")]
    documents = []
    for number in range(count):
        name, role = draw.choice(speakers)
        documents.append(
            said(
                f"m{number}",
                " ".join(draw.choices(WORDS, k=draw.randint(3, 12))) + draw.choice(["", "?"]),
                name=name,
                role=role,
                at=NOON + number,
                session=f"s{draw.randrange(sessions)}",
                scope=Scope(user=draw.choice(["u1", "u2"])),
            )
        )
    return documents


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[ScriptedIndex]:
    """The random messages, with vectors."""
    with ScriptedIndex(tmp_path / "c", ScriptedFeed(*_corpus()), ScriptedEmbedder()) as home:
        home.index.sync()
        yield home


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
@pytest.mark.parametrize("query", QUESTIONS)
def test_a_score_is_a_share_and_the_sum_of_its_parts(
    corpus: ScriptedIndex, mode: str, query: str
) -> None:
    """Every answer can say why."""
    result = corpus.ask(query, mode=mode)
    assert result.mode == mode
    assert result.hits
    for hit in result.hits:
        assert 0 < hit.score <= 1
        assert sum(hit.why.values()) == pytest.approx(hit.score, abs=1e-5)
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(("mode", "most"), [("hybrid", 10), ("lexical", 10), ("vector", 100)])
@pytest.mark.parametrize("scope", [Scope(), Scope(user="u1")])
def test_candidates_find_what_scoring_everything_finds(
    tmp_path: Path, mode: str, most: int, scope: Scope
) -> None:
    """Few candidates and a small budget change what is looked at, not what is best.

    One bit for each value of a vector needs more of them when nothing else helps.
    """
    search = msgspec.structs.replace(SMALL, candidates=most)
    feed = ScriptedFeed(*_corpus())
    with (
        ScriptedIndex(tmp_path / "exact", feed, ScriptedEmbedder()) as exact,
        ScriptedIndex(tmp_path / "few", feed, ScriptedEmbedder(), search) as few,
    ):
        for query in (*QUESTIONS, "Ann's silver bridge and the yellow candle"):
            expected = exact.ask(query, scope, mode=mode, limit=3).hits
            hits = few.ask(query, scope, mode=mode, limit=3).hits
            assert [hit.ref for hit in hits] == [hit.ref for hit in expected]
            scores = [hit.score for hit in expected]
            assert [hit.score for hit in hits] == pytest.approx(scores, abs=1e-5)


@pytest.mark.parametrize("search", [SearchSettings(), SMALL])
@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
def test_an_exact_keyword_hit_is_never_lost(
    tmp_path: Path, search: SearchSettings, mode: str
) -> None:
    """The rule of the design: no threshold made for vectors may cut it."""
    embedder = ScriptedEmbedder()
    embedder.query = lambda vector: -vector  # the meaning says: anything but that
    rare = said("rare", "the quokka " + " ".join(WORDS[:20]), session="alone")
    with ScriptedIndex(tmp_path, ScriptedFeed(*_corpus(), rare), embedder, search) as home:
        hits = home.ask("quokka", mode=mode, limit=5).hits
    assert "rare" in [hit.ref for hit in hits]


def test_equal_scores_are_ordered_by_time_and_name_not_by_arrival(tmp_path: Path) -> None:
    """Two homes that learnt the same in another order answer alike."""
    equal = [
        said(f"{ref}0", "apple bread", at=at) for ref, at in zip("dcba", (3, 3, 1, 2), strict=True)
    ]
    answers = []
    for number, documents in enumerate((equal, equal[::-1])):
        with ScriptedIndex(tmp_path / str(number), ScriptedFeed(*documents)) as home:
            hits = home.ask("apple").hits
        assert len({hit.score for hit in hits}) == 1
        answers.append([hit.ref for hit in hits])
    assert answers[0] == answers[1] == ["b0", "a0", "c0", "d0"]


def test_words_that_nothing_holds_find_nothing(corpus: ScriptedIndex) -> None:
    """No near miss is made up from the priors of a question without any."""
    assert corpus.refs("xylophone", mode="lexical") == []
    assert corpus.refs("?!", mode="lexical") == []


def test_a_question_of_signs_is_answered_by_meaning(corpus: ScriptedIndex) -> None:
    """Without terms the vectors answer alone."""
    result = corpus.ask("?!")
    assert all("context" not in hit.why for hit in result.hits)


def test_a_message_of_several_chunks_is_one_hit(tmp_path: Path) -> None:
    """Its best chunk wins, and the limit counts messages."""
    paragraphs = "\n\n".join(f"apple {' '.join(WORDS * 12)}" for _ in range(20))
    long = [said(f"long{n}", paragraphs) for n in range(3)]
    short = said("short", "apples may also be mentioned shortly among so many other things here")
    with ScriptedIndex(tmp_path, ScriptedFeed(*long, short)) as home:
        assert home.index.sync().chunks > 8
        assert len(home.refs("apple", limit=2)) == 2
        assert sorted(home.refs("apple", limit=4)) == ["long0", "long1", "long2", "short"]


def test_a_session_longer_than_is_read_gives_its_newest_messages(tmp_path: Path) -> None:
    """Of a session that fits, 400 messages without any of the words are candidates too."""
    messages = [said(f"m{n}", "bread", session="one", at=NOON + n) for n in range(450)]
    messages.append(said("m450", "apple", session="one", at=NOON + 450))
    with ScriptedIndex(tmp_path, ScriptedFeed(*messages), search=SMALL) as home:
        refs = home.refs("apple")
    assert refs[0] == "m450"
    assert 400 <= len(refs) < 451


def test_a_file_is_a_hit_for_each_chunk_with_its_lines(tmp_path: Path) -> None:
    """What is shown can be read again by path and lines."""
    text = "\n\n".join(f"## Part {n}\n\napple {' '.join(WORDS * 9)}" for n in range(4))
    with ScriptedIndex(tmp_path, ScriptedFeed(note("MEMORY.md", text))) as home:
        hits = home.ask("apple").hits
    lines = sorted((hit.start_line or 0, hit.end_line or 0) for hit in hits)
    assert len(lines) > 1
    assert lines[0][0] == 1
    assert lines[-1][1] == text.count("\n") + 1
    assert {hit.path for hit in hits} == {"MEMORY.md"}


def test_a_word_too_common_for_the_budget_counts_all_the_same(tmp_path: Path) -> None:
    """It is looked up for the candidates only, and fits each of them as well as before.

    Sessions count without it, which shows that it was put off. A question for more hits than the
    rare word alone finds reads all words.
    """
    rare = [said(f"q{n}", f"quokka bread {'apple ' * (n % 3)}", session="s1") for n in range(9)]
    feed = ScriptedFeed(*_corpus(), *rare)
    tight = msgspec.structs.replace(SMALL, posting_budget=1)
    parts: dict[tuple[str, int], dict[str, dict[str, float]]] = {}
    for name, search in (("exact", None), ("tight", tight)):
        with ScriptedIndex(tmp_path / name, feed, search=search) as home:
            for limit in (5, 1_000):
                hits = home.ask("quokka apple", limit=limit).hits
                parts[name, limit] = {hit.ref: hit.why for hit in hits}
    few, exact = parts["tight", 5], parts["exact", 1_000]
    assert len(few) == 5
    for ref, why in few.items():
        assert ref.startswith("q")
        assert why["context"] == pytest.approx(exact[ref]["context"], abs=1e-5)
        assert why["group"] < exact[ref]["group"] - 1e-3
    for ref, why in parts["tight", 1_000].items():
        assert why == pytest.approx(exact[ref], abs=1e-5)


def test_a_statement_of_the_right_person_without_any_of_the_words_is_no_answer(
    tmp_path: Path,
) -> None:
    """Regression: without vectors every message of the user answered "my" questions."""
    feed = ScriptedFeed(said("a", "apple pie"), said("b", "bread and butter"))
    with ScriptedIndex(tmp_path, feed) as home:
        assert home.refs("where is my xyzzy?", mode="lexical") == []
        assert home.refs("where is my apple?", mode="lexical")[0] == "a"
