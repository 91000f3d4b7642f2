"""A paid provider gets what another embedder has indexed only after somebody agreed."""

from __future__ import annotations

from pathlib import Path

from recollect.core.settings import EmbeddingSettings
from recollect.index.model.sync_report import Watch
from recollect.models.embedding.embedder import Embedder
from tests.unit.index.scripted import (
    PaidEmbedder,
    ScriptedEmbedder,
    ScriptedFeed,
    ScriptedIndex,
    said,
)

TOLD = "paid:words is paid and has not made the vectors of this index"


class FreeRemote(ScriptedEmbedder):
    """A server on this machine."""

    is_remote = True
    is_paid = False


class UnknownRemote(ScriptedEmbedder):
    """One of another package, which does not say who pays."""

    is_remote = True


def feed() -> ScriptedFeed:
    """Return six messages."""
    return ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(6)))


def test_a_sync_keeps_the_old_index_until_somebody_agrees(tmp_path: Path) -> None:
    """It answers, takes in new words, and every report and answer says what to do."""
    said_so = feed()
    with ScriptedIndex(tmp_path, said_so, ScriptedEmbedder()) as home:
        home.index.sync()
    paid = PaidEmbedder("paid:words")
    said_so.entries.append(said("m6", "apple number6"))
    with ScriptedIndex(tmp_path, said_so, paid) as home:
        for _ in range(2):
            report = home.index.sync()
            assert (report.rebuilt, report.vectors) == (False, 0)
            assert [warning for warning in report.warnings if TOLD in warning]
        result = home.ask("number6")
        assert (result.hits[0].ref, result.mode) == ("m6", "lexical")
        assert any(TOLD in warning for warning in result.warnings)
        status = home.index.status()
        assert status.is_paid
        assert TOLD in str(status.consent_needed)
        assert "the embedder was changed" in str(status.outdated)
        assert paid.texts == []
        assert home.index.rebuild().vectors == 7
        assert home.index.status().consent_needed is None
        assert home.ask("number6").mode == "hybrid"
    said_so.entries.append(said("m7", "apple number7"))
    with ScriptedIndex(tmp_path, said_so, paid) as home:
        assert home.index.sync().vectors == 1, "what is new needs no other agreement"


def test_a_provider_that_nobody_named_gets_nothing_before_somebody_agrees(tmp_path: Path) -> None:
    """A key in the environment is no wish: a new index begins with words, too."""
    paid = PaidEmbedder("paid:words")
    with ScriptedIndex(tmp_path, feed(), paid, was_found=True) as home:
        assert home.ask("number3").mode == "lexical"
        assert any(TOLD in warning for warning in home.index.sync().warnings)
        home.index.sync(Watch(mode="background"))
        assert paid.texts == []
        assert home.index.rebuild().vectors == 6
        assert home.ask("number3").mode == "hybrid"
    with ScriptedIndex(tmp_path, feed(), paid, was_found=True) as home:
        assert home.index.status().consent_needed is None


def test_an_index_of_words_needs_an_agreement_too(tmp_path: Path) -> None:
    """A key that appears in the environment does not send a year of messages away."""
    said_so = feed()
    with ScriptedIndex(tmp_path, said_so) as home:
        home.index.sync()
    paid = PaidEmbedder("paid:words")
    with ScriptedIndex(tmp_path, said_so, paid) as home:
        assert any(TOLD in warning for warning in home.index.sync().warnings)
        home.ask("number3")
        home.index.sync(Watch(mode="background"))
        assert paid.texts == []
        assert home.index.rebuild().vectors == 6


def test_a_new_home_needs_none(tmp_path: Path) -> None:
    """There was nobody before; the settings name the provider."""
    paid = PaidEmbedder("paid:words")
    with ScriptedIndex(tmp_path, ScriptedFeed(), paid) as home:
        home.ask("anything")
        assert home.index.sync().warnings == ()
    with ScriptedIndex(tmp_path, feed(), paid) as home:
        assert home.index.sync().vectors == 6


def test_who_does_not_want_to_be_asked_says_so(tmp_path: Path) -> None:
    """embedding.confirm_paid: false."""
    said_so, paid = feed(), PaidEmbedder("paid:words")
    with ScriptedIndex(tmp_path, said_so, ScriptedEmbedder()) as home:
        home.index.sync()
    settings = EmbeddingSettings(confirm_paid=False)
    with ScriptedIndex(tmp_path, said_so, paid, embedding=settings) as home:
        assert home.index.sync().rebuilt


def test_a_server_of_ones_own_is_not_paid_and_an_unknown_one_is(tmp_path: Path) -> None:
    """Who does not say that nobody bills is taken for one who does."""
    said_so = feed()
    with ScriptedIndex(tmp_path, said_so, ScriptedEmbedder()) as home:
        home.index.sync()
    unknown: Embedder = UnknownRemote("other:words")
    with ScriptedIndex(tmp_path, said_so, unknown) as home:  # type: ignore[arg-type]  # the same
        assert not home.index.sync().rebuilt
    with ScriptedIndex(tmp_path, said_so, FreeRemote("ollama:words")) as home:
        assert home.index.sync().rebuilt


def test_an_agreement_survives_a_killed_rebuild(tmp_path: Path) -> None:
    """A sync goes on with what was agreed to."""
    said_so, paid = feed(), PaidEmbedder("paid:words")
    with ScriptedIndex(tmp_path, said_so, ScriptedEmbedder()) as home:
        home.index.sync()

    def die(_: object) -> None:
        raise KeyboardInterrupt

    paid.before = die
    with ScriptedIndex(tmp_path, said_so, paid) as home:
        try:
            home.index.rebuild()
        except KeyboardInterrupt:
            paid.before = lambda _: None
    with ScriptedIndex(tmp_path, said_so, paid) as home:
        assert home.index.status().consent_needed is None
        assert home.index.sync().rebuilt
