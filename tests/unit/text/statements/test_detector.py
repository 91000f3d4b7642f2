"""The detector: what a message states that a memory keeps, in eight languages."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.datasets.labelled_messages import load_changes, load_labelled
from benchmarks.quality.statements import is_followed, score_messages
from recollect.text.statements.detector import detect
from recollect.text.statements.statement import KINDS, Statement


def only(text: str, role: str = "user") -> Statement:
    """Return the one statement of a text."""
    (found,) = detect(text, role)
    return found


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Never push directly to main.", "rule"),
        ("Antworte ab jetzt immer auf Deutsch.", "rule"),
        ("Bitte nie direkt auf main pushen.", "rule"),
        ("Nunca subas nada directamente a main.", "rule"),
        ("Ne pousse jamais directement sur main.", "rule"),
        ("Rode sempre os testes antes de fazer commit.", "rule"),
        ("以后不要直接推送到 main 分支。", "rule"),
        ("これからは日本語で答えてください。", "rule"),
        ("커밋하기 전에 항상 테스트를 돌려 주세요.", "rule"),
        ("We decided to use Valkey instead of Redis.", "decision"),
        ("I prefer tabs over spaces.", "preference"),
        ("I'm allergic to penicillin.", "personal"),
        ("I work at Brackwell Logistics.", "work"),
        ("I go swimming every Tuesday before work.", "habit"),
        ("My brother Tom lives in Bergen.", "relationship"),
        ("The API rate limit is 100 requests per minute.", "technical"),
        ("The demo for the council is on 14 May at 10:30.", "schedule"),
        ("We still need to decide who owns the billing alerts.", "open_end"),
    ],
)
def test_each_kind_of_statement_is_recognised(said: str, kind: str) -> None:
    """In every language by its own rules."""
    assert only(said).kind == kind


@pytest.mark.parametrize(
    "said",
    [
        "My preference is plain text over slides.",
        "Given my preference for quiet rooms, which desk should I take?",
        "Meine Präferenz sind kurze Antworten.",
        "J'ai une préférence pour le thé.",
        "Tengo preferencia por las herramientas ligeras.",
        "Minha preferência é por ferramentas simples.",
        "我偏好轻量级的库。",
    ],
)
def test_a_preference_is_known_by_its_noun(said: str) -> None:
    """BEAM: "as stated in my preference for …" was found in no language."""
    assert only(said).kind == "preference"


@pytest.mark.parametrize(
    "said",
    [
        "Do you have a preference for one of them?",
        "What was my preference for seats?",
        "I need to store a preference for each user.",
        "Where do I live?",
        "Should we always run the linter in CI?",
        "Maybe we should switch to Postgres at some point.",
        "I'm thinking about moving to Leeds next year.",
        "If I moved to Berlin, would the commute be shorter?",
        "She said she works at a bank.",
        "Just this once, skip the tests.",
        "Never mind, I found the bug myself.",
        "I always forget how to exit vim.",
        "```\n# never remove this line\nlimit = 100\n```",
        "> I live in Oslo and work for Statoil.",
        "Translate into German: I live in a small house by the sea.",
        "Here is the mail:\n\nI work at Norfolk Mills.\nAlways send invoices as PDF.",
        'The readme says "always use yarn in this workspace and never npm".',
        "2026-03-01 12:00:01 ERROR I never live in Leeds",
        "Falls ich nach Wien ziehe, brauche ich eine neue Versicherung.",
        "我可能明年搬到成都。",
        "来年、仙台に引っ越すかもしれません。",
        "내년에 대구로 이사할지도 몰라요.",
        "Losing my job was hard.",
        "Perder mi trabajo fue duro.",
        "Perdre mon travail a été dur.",
    ],
)
def test_questions_plans_quotes_and_code_state_nothing(said: str) -> None:
    """What is asked, planned, conditional, reported, pasted or only for today is no fact."""
    assert detect(said) == ()


def test_who_is_spoken_to_hides_nothing() -> None:
    """In a group a bot is spoken to by its name; a decorator is code."""
    (stated,) = detect("@heron_bot From now on always answer in English.")
    assert (stated.kind, stated.start) == ("rule", 11)
    (stated,) = detect("@heron_bot @ann, From now on always answer in English.")
    assert stated.start == 17
    assert detect("@cached\n@app.route('/always')\n@param always answer in English") == ()


def test_what_stands_before_a_question_in_its_sentence_is_stated() -> None:
    """One sentence may tell where somebody lives and ask where they can swim."""
    assert only("I live in Leeds, where can I swim?").text == "I live in Leeds"


def test_of_an_assistant_only_results_causes_and_open_ends_are_stated() -> None:
    """What it says about the person, or advises, is none of its facts."""
    text = "The root cause was a stale DNS entry. The Windows job still fails."
    assert [each.kind for each in detect(text, "assistant")] == ["technical", "open_end"]
    assert detect("I live in Leeds. You should always pin versions.", "assistant") == ()


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Our mail server is an old Debian box.", "technical"),
        ("Nous avons adopté une chatte grise.", "personal"),
        ("Meine Nachbarin Ilse ist Hebamme.", "relationship"),
        ("我在一家宠物医院当护士。", "work"),
        ("来週の火曜に歯医者の予約があります。", "schedule"),
        ("저는 새우 알레르기가 있어요.", "personal"),
    ],
)
def test_what_no_rule_foresaw_is_judged_by_its_words(said: str, kind: str) -> None:
    """Words and classes of words tell the kind where no pattern matches."""
    assert only(said).kind == kind


def test_what_precedes_a_question_is_judged_without_a_subject_as_well() -> None:
    """A comma parts what is told from what is asked."""
    (found,) = detect("Moved to Bristol in March, how do I find a dentist?")
    assert (found.kind, found.text) == ("personal", "Moved to Bristol in March")


@pytest.mark.parametrize(
    "clause", ["and so " * 34, "the " * 60, "my brother " * 21, "1" * 240, "a/" * 120, "的" * 240]
)
def test_a_hostile_clause_costs_little(clause: str) -> None:
    """No pattern goes back over the same words again and again."""
    begun = time.process_time()
    detect(clause[:238])
    assert time.process_time() - begun < 1


def test_other_roles_state_nothing() -> None:
    """A tool prints what it likes."""
    assert detect("I live in Leeds.", "tool") == ()


def test_a_statement_about_a_relative_names_the_relative() -> None:
    """The subject is another person."""
    found = only("My brother Tom moved to Bergen.")
    assert (found.subject, found.name, found.value) == ("other", "brother tom", "bergen")


def test_a_rule_about_answers_is_about_the_person_and_one_about_code_about_the_project() -> None:
    """Whom a rule concerns decides where it is shown."""
    assert only("Answer in British English from now on.").subject == "speaker"
    assert only("Never store customer names in the logs.").subject == "project"


def test_a_value_that_is_gone_is_lost_and_the_new_one_kept() -> None:
    """Both stand in one statement."""
    found = only("Let's use Valkey instead of Redis.")
    assert (found.value, found.loses, found.is_change) == ("valkey", ("redis",), True)


def test_health_is_more_important_than_taste() -> None:
    """What could harm somebody must not be forgotten."""
    assert only("I'm allergic to nuts.").importance > only("I hate coriander.").importance


def test_an_email_address_whose_domain_is_example_is_no_example() -> None:
    """The word "example" doubts a clause, but not inside an address."""
    assert only("My email is dalia@venn.example.").value == "dalia@venn.example"


@pytest.mark.parametrize("change", load_changes(), ids=lambda change: change.id)
def test_a_change_gives_one_slot_both_values(
    change: object, request: pytest.FixtureRequest
) -> None:
    """So that the newer statement can be linked to the older one."""
    if request.node.callspec.id in {"en-13", "en-15"}:
        pytest.xfail("the sign of change and the value are in two clauses, or two slots")
    assert is_followed(change)  # type: ignore[arg-type]


def test_the_seen_messages_are_detected_as_well_as_before() -> None:
    """A rule that breaks others shows here first; the aims are in the notes of the benchmark."""
    scores = {each.group: each for each in score_messages("seen", load_labelled("seen"))}
    assert scores["seen: all"].precision >= 0.94
    assert scores["seen: all"].recall >= 0.92
    assert all(each.precision >= 0.9 and each.recall >= 0.9 for each in scores.values())


_PARTS = st.sampled_from(
    "I live in Leeds|never push|```|\n|> |. |? |, |always run the tests|我住在绍兴。|毎週|"
    '항상|"|“|”|My brother Tom|if |from Monday to 14 May|: |The API limit is 100/min|’'.split("|")
)
_TEXTS = st.lists(_PARTS | st.text(max_size=12), max_size=30).map("".join)


@given(_TEXTS, st.sampled_from(["user", "assistant"]))
@settings(max_examples=300)
def test_spans_cover_their_text_in_order_and_do_not_overlap(text: str, role: str) -> None:
    """Whatever the text."""
    found = detect(text, role)
    end = 0
    for each in found:
        assert end <= each.start < each.end <= len(text)
        assert each.text == " ".join(text[each.start : each.end].split())
        assert each.kind is None or each.kind in KINDS
        end = each.end
    assert detect(text, role) == found


@given(_TEXTS)
def test_nothing_is_detected_in_fenced_code(text: str) -> None:
    """It is not what the speaker says."""
    assert detect("```\n" + text.replace("`", "") + "\n```") == ()


@pytest.mark.parametrize(
    "unit",
    [
        *("a ", "always ", "I live in ", "my my ", "(x, ", "and we ", "every day 5 ", "的", "は"),
        *("가 ", "the API the rate is ", "I never, ", "if you ", "1 May ", "从周一改到"),
        *('"a b ', "x" * 50 + " "),
    ],
)
def test_a_text_of_100_kb_is_read_in_a_moment(unit: str) -> None:
    """No pattern goes back and forth over a long text."""
    text = unit * (100_000 // len(unit))
    begun = time.process_time()
    detect(text)
    detect(text, "assistant")
    assert time.process_time() - begun < 5
