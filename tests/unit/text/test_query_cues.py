"""Cues of questions."""

from __future__ import annotations

import pytest

from recollect.text.languages.language import ASSISTANT, FIRST_PERSON, LIST, NAME, NOW, WHEN
from recollect.text.query_cues import read_question, speaks_of_oneself


@pytest.mark.parametrize(
    ("question", "when", "name", "first"),
    [
        ("When did I go?", True, False, True),
        ("How long did it take us?", True, False, True),
        ("Which month was it?", True, True, False),
        ("What time is it?", True, False, False),
        ("Where does she live?", False, True, False),
        ("Whose idea was my plan?", False, True, True),
        ("What did Ann say?", False, False, False),
        ("Is it mine?", False, False, True),
        ("What use is it?", False, False, False),
    ],
)
def test_a_question_asks_for_something(question: str, when: bool, name: bool, first: bool) -> None:
    """For a time, for a name, about oneself."""
    cues, _ = read_question(question)
    assert (WHEN in cues, NAME in cues, FIRST_PERSON in cues) == (when, name, first)


@pytest.mark.parametrize(
    ("question", "is_list"),
    [
        ("How many trips were there?", True),
        ("What pets does she have?", True),
        ("Which of the books do I own?", True),
        ("Where has he been?", True),
        ("What are the names of the dogs?", True),
        ("Which board games did people bring?", True),
        ("What was the name of the dog?", False),
        ("What is this?", False),
        ("When did the children leave?", False),
        ("Does she have pets?", False),
        ("pets", False),
    ],
)
def test_a_question_asks_for_a_list(question: str, is_list: bool) -> None:
    """For several things, or for how many there are."""
    assert (LIST in read_question(question)[0]) is is_list


@pytest.mark.parametrize(
    ("text", "is_own"),
    [
        ("My hamster fell ill.", True),
        ("We've moved!", True),
        ("What pet do you have?", False),
        ("Sounds great, hers too.", False),
        ("Ich habe einen Hund", True),
        ("J’habite à Lyon", True),
        ("我有一只狗", True),
        ("Hast du einen Hund?", False),
        ("", False),
    ],
)
def test_a_text_speaks_of_who_wrote_it(text: str, is_own: bool) -> None:
    """In every language."""
    assert speaks_of_oneself(text) is is_own


@pytest.mark.parametrize(
    "question",
    [
        *("what did you recommend for my shin?", "you told me of a shop", "your advice on shoes"),
        *("Was hast du mir geraten?", "die du mir empfohlen hattest", "dein Vorschlag zum Garten"),
        *("que loja me disseste?", "o que você sugeriu?", "a tua sugestão"),
        *("你建议我买什么？", "您之前说的店"),
        *("¿Qué me recomendaste para la espalda?", "lo que usted me dijo", "tu consejo"),
        *("Qu’est-ce que tu m’as recommandé ?", "qu’as-tu dit du pain ?", "ta suggestion"),
        *("前に教えてくれたお店は？", "あなたの提案", "네가 추천한 책", "지난번에 알려 준 가게"),
    ],
)
def test_a_question_asks_what_the_assistant_said(question: str) -> None:
    """In every language."""
    assert ASSISTANT in read_question(question)[0]


@pytest.mark.parametrize(
    "question",
    [*("what would you suggest?", "Ann said you", "can you list it?"), "was würdest du tun?"],
)
def test_what_the_assistant_is_to_do_is_nothing_it_said(question: str) -> None:
    """It has said nothing of it yet."""
    assert ASSISTANT not in read_question(question)[0]


def test_a_word_far_from_who_is_asked_belongs_to_another_clause() -> None:
    """A question of 90,000 letters, all of them "du", took half a minute to be looked through."""
    assert ASSISTANT in read_question("was du mir dazu neulich am Telefon gesagt hast")[0]
    assert ASSISTANT not in read_question("du " + "und er kam " * 20 + "gesagt")[0]


@pytest.mark.parametrize(
    ("question", "is_now"),
    [
        *(("do I still drink coffee?", True), ("is it on Friday nowadays?", True)),
        *(("Wer kommt jetzt?", True), ("ainda come carne?", True), ("现在几点上课？", True)),
        *(("¿dónde vivo ahora?", True), ("où est-il maintenant ?", True), ("지금 어디야?", True)),
        *(("what is the latest price?", True), ("¿cuál es el precio actual?", True)),
        *(("où est-il de nos jours ?", True), ("最新价格是多少？", True), ("여전히 채식해?", True)),
        *(("أين أسكن الآن؟", True), ("أين أسكن؟", False), ("最新の料金は？", True)),
        *(("what did I know then?", False), ("snow in Norway", False), ("noche", False)),
    ],
)
def test_a_question_asks_how_things_are_now(question: str, is_now: bool) -> None:
    """Statements that are newer answer it."""
    assert (NOW in read_question(question)[0]) is is_now


@pytest.mark.parametrize(
    "question",
    [
        *("Wo ist mein Rad?", "onde está o meu pé?", "我的鸡", "meine", "que dije ayer"),
        *("où sont mes clés ? j’ai oublié", "qu'ai-je dit", "내 열쇠", "私の鍵"),
    ],
)
def test_whoever_asks_speaks_of_themselves_in_any_of_the_languages(question: str) -> None:
    """As "my" does in English."""
    assert FIRST_PERSON in read_question(question)[0]


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("Was hast du gegen die Flecken an den Tomaten?", "Flecken Tomaten?"),
        ("o que fez o Tiago com a vizinha?", "Tiago vizinha?"),
        ("what did he die of in the war?", "what did he die of in the war?"),
        ("die Waschmaschine", "die Waschmaschine"),
        ("MIT licence with a man", "MIT licence with a man"),
        ("Clara现在星期几上中文课？", "Clara 上中文课？"),
        ("京都のお店はどこ？", "京都のお店は ？"),
        ("¿Dónde está la llave del coche?", "llave coche?"),
        ("Où est la clé de notre garage ?", "clé garage ?"),
        ("우리 차 열쇠가 어디 있어?", "우리 차 열쇠가 있어?"),
        ("was war das´es mit der Uhr", "was war das´es mit der Uhr"),
        ("Größe", "Größe"),
    ],
)
def test_function_words_are_cut_from_questions_in_their_language(
    question: str, content: str
) -> None:
    """At least two, and more than English has; Japanese is no Chinese."""
    assert read_question(question)[1].split() == content.split()
