"""What people really type: scripts, identifiers, quotes, nonsense; old notes and long texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.errors import InvalidInput
from recollect.memory import Memory

DAY_MS = 86_400_000
OPERATORS = 'O\'Brien "AND" NEAR('

LINES = {
    "tea": "她下午只喝绿茶，不喝咖啡",
    "database": "下周三开始做数据库迁移的演练",
    "noodles": "駅前のラーメン屋は水曜日が休みです",
    "cafe": "We met at Café Zoé after the show",
    "function": "the handler calls getUserById(42) twice",
    "column": "the column user_id may be null",
    "museum": "Mr. O'Brien lives near the AND gate museum",
    "meeting": "내일 회의는 세 시에 시작합니다",
    "train": "Расписание поезда лежит на столе",
    "part": "order part ABC123 again",
    "wide": "型番ＸＹＺ９８７を注文した",
    "decomposed": "the re\u0301sume\u0301 of Nguye\u0302\u0303n is in the drawer",
}
QUESTIONS = (
    ("绿茶", "tea"),
    ("茶", "tea"),
    ("数据库迁移", "database"),
    ("数据库的迁移什么时候开始？", "database"),
    ("ラーメン", "noodles"),
    ("ﾗｰﾒﾝ", "noodles"),
    ("cafe zoe", "cafe"),
    ("CAFÉ ZOÉ", "cafe"),
    ("getUserById", "function"),
    ("getuserbyid", "function"),
    ("user_id", "column"),
    ("userId", "column"),
    (OPERATORS, "museum"),
    ("o’brien", "museum"),
    ("회의", "meeting"),
    ("회의가", "meeting"),
    ("поезда", "train"),
    ("РАСПИСАНИЕ", "train"),
    ("ＡＢＣ１２３", "part"),
    ("xyz987", "wide"),
    ("résumé nguyễn", "decomposed"),
    ("resume nguyen", "decomposed"),
)
NEAR_MISSES = (
    "数据库备份每天凌晨完成第{}次",
    "团队迁移到新办公室第{}天",
    "绿色的杯子放在第{}个架子上",
    "カーテンを{}枚買ったメンバー",
    "駅前の本屋は{}時に開く",
    "The cafe on corner {} sells bread",
    "Zoo ticket number {} for the show",
    "get the form by page {} of the user guide",
    "the id card of visitor {} and another user",
    "Brian turned lamp {} off near the gate",
    "오늘 점심은 {}번 식당에서 먹는다",
    "Стол номер {} стоит у окна",
    "order part ABD{} from the catalogue",
)
OTHERS = [pattern.format(number) for number in range(20) for pattern in NEAR_MISSES]

NONSENSE = {
    "empty": "",
    "blank": " \t\n\u3000",
    "stop words": "what is it that we have",
    "emoji": "😀🎉👩‍👩‍👧",
    "NUL": "\0",
    "NUL in a word": "te\0a",
    "control characters": "\x01\x02\x1b[31m\x7f\u200b\u202e",
    "half a character": "\ud83d",
    "operators": "* ^ -tea +tea tea* (tea OR",
    "SQL": "'; DROP TABLE chunks; -- %_",
    "long": "harbour ledger " * 266,
    "one long word": "x" * 4_000,
    "long, unspaced": "数据库迁移" * 800,
    "many marks": "e" + "\u0301" * 3_999,
    "many quotes": "\"'" * 2_000,
}


def mixed(targets: list[str]) -> list[str]:
    """Return the near misses with the targets spread among them."""
    lines, step = list(OTHERS), len(OTHERS) // len(targets)
    for place, target in enumerate(targets):
        lines.insert(place * (step + 1) + step // 2, target)
    return lines


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Every line as a message of one session."""
    with opened(tmp_path_factory.mktemp("talk")) as memory:
        session = memory.sessions.create().id
        items = [("user", line) for line in mixed(list(LINES.values()))]
        memory.sessions.append_many(session, items)
        memory.sync()
        yield memory


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Every line as a line of one memory file."""
    folder = tmp_path_factory.mktemp("notes")
    content = "\n".join(mixed(list(LINES.values())))
    (folder / "MEMORY.md").write_text(content, encoding="utf-8")
    with opened(folder) as memory:
        memory.sync()
        yield memory


def opened(folder: Path) -> Memory:
    """Open a home in a folder that is its workspace too, without an embedder."""
    overrides = {"embedding.provider": "none"}
    return recollect.open(folder / "home", folder, overrides=overrides)


@pytest.mark.parametrize(("question", "target"), QUESTIONS)
def test_a_message_is_found_by_what_people_type(talk: Memory, question: str, target: str) -> None:
    """Questions that other systems miss; the near misses share words and characters."""
    assert talk.search(question).hits[0].snippet == LINES[target]


@pytest.mark.parametrize(("question", "target"), QUESTIONS)
def test_a_line_of_a_file_is_first_for_what_people_type(
    notes: Memory, question: str, target: str
) -> None:
    """The best chunk holds the line, shows it, and says where it is."""
    hit = notes.search(question).hits[0]
    number = mixed(list(LINES.values())).index(LINES[target]) + 1
    assert (hit.start_line or 0) <= number <= (hit.end_line or 0)
    assert LINES[target] in hit.snippet
    assert hit.path is not None
    assert LINES[target] in notes.read(hit.path, number, 1).text


@pytest.mark.parametrize("question", NONSENSE.values(), ids=NONSENSE.keys())
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
def test_any_text_can_be_asked_for(talk: Memory, question: str, mode: str) -> None:
    """A question is never an error; scores stay in their range."""
    result = talk.search(question, limit=50, mode=mode)
    assert all(0 < hit.score <= 1 for hit in result.hits)


def test_a_note_nine_months_old_is_first_for_its_question(tmp_path: Path) -> None:
    """DESIGN 6: an old note that is the answer stays reachable; newer messages share its words."""
    now, answer = SystemClock().now_ms(), "The brass key with the blue tag opens the cellar door."
    newer = ("I lost the key of the bicycle {}", "the door of room {} is blue", "cellar shelf {}")
    with opened(tmp_path) as memory:
        old = memory.sessions.create(at=now - 280 * DAY_MS).id
        memory.sessions.append(old, "user", answer, at=now - 275 * DAY_MS)
        for day in range(100):
            items = [
                {"role": "user", "content": text.format(day), "at": now - (100 - day) * DAY_MS}
                for text in newer
            ]
            memory.sessions.append_many(memory.sessions.create().id, items)
        assert memory.search("Which key opens the cellar door?").hits[0].snippet == answer
        assert memory.status().messages == 301


def test_an_old_memory_file_is_first_for_its_question(tmp_path: Path) -> None:
    """The same for a file among messages."""
    (tmp_path / "memory").mkdir()
    note = tmp_path / "memory" / "2026-02-10.md"
    note.write_text("# Cellar\n\nThe brass key opens the cellar door.\n", encoding="utf-8")
    with opened(tmp_path) as memory:
        session = memory.sessions.create().id
        talk = [("user", f"the blue door of room {n} has another key") for n in range(300)]
        memory.sessions.append_many(session, talk)
        hit = memory.search("Which key opens the cellar door?").hits[0]
        assert (hit.source, hit.path) == ("memory", "memory/2026-02-10.md")


def test_one_answer_mixes_sources_and_a_filter_keeps_one(tmp_path: Path) -> None:
    """One search over everything; ``sources`` narrows it."""
    (tmp_path / "MEMORY.md").write_text("The cellar door squeaks.", encoding="utf-8")
    with opened(tmp_path) as memory:
        session = memory.sessions.create().id
        memory.sessions.append(session, "user", "Oil the cellar door, please.")

        def found(sources: list[str] | None) -> list[str]:
            return sorted(hit.source for hit in memory.search("cellar", sources=sources).hits)

        assert found(None) == ["memory", "sessions"]
        assert found(["memory", "sessions"]) == ["memory", "sessions"]
        assert found(["memory"]) == ["memory"]
        assert found(["sessions"]) == ["sessions"]
        assert found(["facts"]) == []
        with pytest.raises(InvalidInput, match="unknown source"):
            found(["memmory"])


def paragraphs(word_at: Callable[[int], bool]) -> str:
    """Return 200 kB of text with a rare word in some of its paragraphs."""
    filler = "the ledger of the harbour was copied line by line into the winter book "
    return "\n\n".join(
        f"{number} {filler * 6}{'quincunx ' if word_at(number) else ''}{filler * 6}"
        for number in range(230)
    )


def test_a_long_message_is_one_hit_and_shows_the_word(tmp_path: Path) -> None:
    """One hit per message, best chunk wins; short ones are not crowded out."""
    everywhere, once = paragraphs(lambda _: True), paragraphs(lambda number: number == 171)
    assert min(len(everywhere), len(once)) > 190_000
    with opened(tmp_path) as memory:
        session = memory.sessions.create().id
        texts = [everywhere, "a quincunx of trees", once, "nothing of that kind"]
        memory.sessions.append_many(session, [("user", text) for text in texts])
        for limit in (1, 3, 6, 50):
            hits = memory.search("quincunx", limit=limit).hits
            assert len({hit.ref for hit in hits}) == len(hits)
            assert {hit.seq for hit in hits[:3]} <= {1, 2, 3}
            assert len(hits) >= min(limit, 3)
        for hit in memory.search("quincunx", limit=3).hits:
            assert "quincunx" in hit.snippet
            assert len(hit.snippet) <= memory.settings.search.snippet_chars
