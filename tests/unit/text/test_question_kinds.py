"""Kinds of questions."""

from __future__ import annotations

import time

import pytest

from recollect.text.question_kinds import MOST_CHARS, question_kind


class _In2022:
    def now_ms(self) -> int:
        return 1_660_000_000_000


LANGUAGES = {
    "en": (
        ("Which plan are we on?", "who signs off expenses", "What should I pack?"),
        ("Where did I live as a child?", "who held the keys until Ann came", "the previous limit"),
        ("Who called?", "why is it slow", "Have I ever been to Rome?", "Where was it found?"),
    ),
    "de": (
        ("Wer vertritt mich?", "wo liegt der Schlüssel", "Welche Regel gilt gerade?"),
        ("Wo habe ich früher gewohnt?", "Wem gehörte das Haus?", "wer war vor Jana mein Chef"),
        ("Wer hat angerufen?", "Warum ist es langsam?", "Wann bin ich umgezogen?"),
    ),
    "es": (
        ("¿Quién riega las plantas?", "dónde está la llave", "¿Cuál es la norma actual?"),
        ("¿Dónde vivía yo?", "¿Cuál era el límite anterior?", "¿Dónde vivió Teo antes de Lugo?"),
        ("¿Quién llamó?", "¿Por qué es lento?", "¿Han pagado la factura?"),
    ),
    "fr": (
        ("Qui garde les enfants ?", "où sont les clés", "Quelle est la règle en vigueur ?"),
        ("Où habitais-je ?", "mon ancienne adresse", "Qui était le chef avant Inès ?"),
        ("Qui a appelé ?", "Pourquoi est-ce lent ?", "À qui ai-je prêté la voiture ?"),
    ),
    "pt": (
        ("Quem rega as plantas?", "onde está a chave", "Qual é a regra atual?"),
        ("Onde eu morava?", "Qual era o limite anterior?", "Onde o Téo morou antes de Braga?"),
        ("Quem ligou?", "Por que está lento?", "Quando me mudei?"),
    ),
    "zh": (
        ("谁负责报销？", "钥匙在哪里", "现在的规定是什么？"),
        ("我以前住在哪里？", "搬家之前我住哪个区", "旧的密码是什么"),
        ("谁把蛋糕带来的？", "为什么这么慢", "电梯修好了吗？"),
    ),
    "ja": (
        ("担当は誰ですか？", "鍵はどこ？", "最新の予算はいくら？"),
        ("以前はどこに住んでいましたか？", "引っ越す前の住所は？", "旧パスワードは何でしたか"),
        ("誰が電話しましたか？", "なぜ遅いのですか？", "ケーキを持ってきたのは誰？"),
    ),
    "ko": (
        ("담당자가 누구야?", "열쇠는 어디 있어?", "최신 예산이 얼마야?"),
        ("예전에 어디 살았어?", "이전 직장은 어디였어?", "바꾸기 전 비밀번호가 뭐였어?"),
        ("누가 전화했어?", "왜 느려?", "마지막으로 치과에 간 게 언제야?"),
    ),
    "ar": (
        ("أين أسكن؟", "ما هو رقم هاتفي؟", "متى ينتهي العقد؟"),
        ("أين كنت أسكن سابقا؟", "من كان مديري قبل سارة؟", "كلمة السر القديمة"),
        ("من أوصى بالكتاب؟", "لماذا غيرنا البنك؟", "متى انتقلت إلى دبي؟"),
    ),
}


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        pytest.param(question, kind, id=f"{code} {kind} {question}")
        for code, of_kinds in LANGUAGES.items()
        for kind, questions in zip(("state", "past", "event"), of_kinds, strict=True)
        for question in questions
    ],
)
def test_a_question_asks_for_a_state_a_past_state_or_an_event(question: str, kind: str) -> None:
    """In every language that is read."""
    assert question_kind(question) == kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is the book that I bought about?", "state"),
        ("What did I buy for the cat that is ill?", "event"),
        ("Where did I say I live?", "state"),
        ("What is the deadline that we set?", "state"),
        ("Welche Tasche ist die, die ich gekauft habe?", "state"),
    ],
)
def test_the_first_verb_tells_the_tense(question: str, kind: str) -> None:
    """It is that of the main clause, but for what somebody said that is so."""
    assert question_kind(question) == kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What do I need before the trip?", "state"),
        ("Who led the team before the trip?", "past"),
        ("Before the trip, who led the team?", "past"),
        ("What did Ann say before the trip?", "event"),
        ("Where did I work in March?", "past"),
        ("Where did I fly in March?", "event"),
    ],
)
def test_a_time_is_of_a_past_state_with_a_verb_of_what_lasts(question: str, kind: str) -> None:
    """And of an event with one of what happens; with the present it is none of the past."""
    assert question_kind(question) == kind


@pytest.mark.parametrize(
    "question",
    [
        "How should I word the letter?",
        "Can you give me a summary of how the move went?",
        "List what Ann told me, in order.",
        "Which tent would you recommend?",
        "I write a talk. Could you help me with its title?",
        "Wie soll ich den Brief aufbauen?",
        "Fasse das Projekt zusammen.",
        "Peux-tu me résumer le chantier ?",
        "¿Cómo debería empezar la carta?",
        "Você pode resumir a obra?",
        "我该怎么写这封信？",
        "会議の内容を要約してください",
        "회의 내용을 요약해 줘",
        "كيف يجب أن أكتب الرسالة؟",
    ],
)
def test_a_request_for_advice_or_a_summary_asks_for_no_state(question: str) -> None:
    """What was replaced belongs into the answer."""
    assert question_kind(question) == "event"


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many chapters have I read so far?", "state"),
        ("How many documents has Ann signed?", "state"),
        ("How many chapters did I read in May?", "event"),
        ("How many times have I been to Rome?", "event"),
        ("How many days have passed since the move?", "event"),
        ("How many weeks are there between the exam and the feast?", "event"),
        ("Wie viele Kapitel habe ich bisher gelesen?", "state"),
        ("Wie viele Tage liegen zwischen Umzug und Hochzeit?", "event"),
        ("Combien de pages ai-je lues jusqu'ici ?", "state"),
        ("Combien de jours y a-t-il entre l'examen et la fête ?", "event"),
        ("¿Cuántas páginas llevo leídas?", "state"),
        ("¿Cuántas semanas hay entre la cita y el examen?", "event"),
        ("Quantas páginas li até agora?", "state"),
        ("Quantos dias há entre a consulta e a prova?", "event"),
        ("我到目前为止读了几章？", "state"),
        ("从面试到入职隔了几天？", "event"),
        ("これまでに何冊読みましたか？", "state"),
        ("試験から発表まで何日ありましたか？", "event"),
        ("지금까지 책을 몇 권 읽었어?", "state"),
        ("시험과 발표 사이에 며칠이 있었어?", "event"),
        ("كم كتابا قرأت حتى الآن؟", "state"),
    ],
)
def test_a_sum_up_to_now_is_a_state(question: str, kind: str) -> None:
    """And the time between two events is none."""
    assert question_kind(question) == kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What does Omar say when Lena cancels?", "event"),
        ("What gift does Lena bring after the quarrel?", "event"),
        ("How does Omar react to the news?", "event"),
        ("What does the contract say about pets?", "state"),
        ("What does Lena do for a living?", "state"),
        ("Wie reagiert Omar auf die Nachricht?", "event"),
        ("¿Cómo reacciona Omar a la noticia?", "event"),
    ],
)
def test_the_present_of_a_story_asks_for_an_event(question: str, kind: str) -> None:
    """A person says or gives something once; a contract says it still."""
    assert question_kind(question) == kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Where does Lena live in February 2022?", "past"),
        ("What is Lena working on on 9 May, 2022?", "past"),
        ("Is the code of 2022 still the one in use?", "state"),
        ("Which service listens on 2022?", "state"),
        ("Wo wohnt Lena im Mai 2022?", "past"),
        ("Où habite Léa en mai 2022 ?", "past"),
        ("¿Dónde vive Lena en mayo de 2022?", "past"),
        ("Onde a Lena mora em maio de 2022?", "past"),
        ("2022年の家賃はいくら？", "past"),
        ("أين تسكن لينا في 2022؟", "past"),
    ],
)
def test_the_present_in_a_year_is_a_past_state(question: str, kind: str) -> None:
    """If the year is over: that of now and later ones have what holds."""
    assert question_kind(question) == kind
    assert question_kind(question, _In2022()) == "state"


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("你什么时候去的北京？", "event"),
        ("我哪天修的自行车？", "event"),
        ("护照什么时候到期？", "state"),
        ("What port did the service listen on back in the spring?", "past"),
        ("How big was the team then?", "past"),
        ("What did Ann promise back in May?", "event"),
        ("¿Con quién comparto piso?", "state"),
        ("¿Con quién hablé ayer?", "event"),
    ],
)
def test_what_other_authors_asked(question: str, kind: str) -> None:
    """When something was done, "back in", and a preposition before the question word."""
    assert question_kind(question) == kind


@pytest.mark.parametrize("text", ["", "?", "oslo", "boiler error E18", "how to"])
def test_what_has_no_sign_asks_for_no_past_state(text: str) -> None:
    """Nor does what is no question."""
    assert question_kind(text) in {"event", "state"}


def test_in_doubt_it_is_an_event() -> None:
    """Words alone ask for nothing that holds."""
    assert question_kind("boiler error E18") == "event"


@pytest.mark.parametrize(
    "words",
    ["which first ", "combien de temps a ", "how many have ", "前に", "了过", "从到", "의 전"],
)
def test_signs_again_and_again_cost_no_more(words: str) -> None:
    """Two of them far apart were looked for from each: 4,000 characters took 2.7 seconds."""
    question = words * (13 * MOST_CHARS // len(words))
    question_kind(question)  # compiles the patterns
    started = time.perf_counter()
    question_kind(question)
    assert time.perf_counter() - started < 0.1
