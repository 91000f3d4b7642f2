"""A newcomer's day as the quickstart has it, in English, German and Chinese."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from recollect.models.languages import MULTILINGUAL
from tests.unit.cli.conftest import Run, home, run  # noqa: F401 - fixtures

QUICKSTART = Path(__file__).resolve().parents[2] / "docs" / "quickstart.md"
LIVES = {
    "en": [
        *("Hi!", "Hello! What shall we do?"),
        "From now on always use pnpm, never npm. Please rename the retry helper.",
        "Renamed it to backoff and ran the tests.",
        "We decided to use Postgres instead of Redis for the job queue, because it is durable.",
        "Noted.",
    ],
    "de": [
        *("Hallo!", "Guten Tag! Was steht an?"),
        "Ab jetzt benutzen wir immer pnpm, niemals npm. Bitte benenne den Retry-Helfer um.",
        "Er heißt jetzt backoff, die Tests laufen.",
        "Wir haben uns für Postgres statt Redis für die Warteschlange entschieden.",
        "Notiert.",
    ],
    "zh": [
        *("你好！", "你好！要做什么？"),
        "从现在起一律使用 pnpm，不要用 npm。请重命名重试函数。",
        "已改名为 backoff，测试通过。",
        "我们决定用 Postgres 代替 Redis 做任务队列，因为它更可靠。",
        "好的。",
    ],
}
PREFERENCES = {
    "en": "I prefer tabs",
    "de": "Ich trinke lieber Tee als Kaffee",
    "zh": "我喜欢喝绿茶",
}
SESSION = "11111111-1111-4111-8111-111111111111"


def transcripts(folder: Path, language: str) -> Path:
    """Write a conversation as Claude Code does; return its folder of projects."""
    lines, before = [], None
    for position, text in enumerate(LIVES[language]):
        role = ("user", "assistant")[position % 2]
        own = f"00000000-0000-4000-8000-{position:012}"
        content = text if role == "user" else [{"type": "text", "text": text}]
        line = {
            "type": role,
            "uuid": own,
            "parentUuid": before,
            "sessionId": SESSION,
            "timestamp": f"2026-05-1{position}T10:00:00.000Z",
            "cwd": str(folder),
            "message": {"role": role, "content": content},
        }
        lines.append(json.dumps(line, ensure_ascii=False))
        before = own
    file = folder / "projects" / "shop" / f"{SESSION}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "projects"


@pytest.mark.parametrize("language", LIVES)
def test_the_first_day(run: Run, home: Path, tmp_path: Path, language: str) -> None:  # noqa: F811
    """Each step says what came of it, and what it offers next works."""
    begun = run("--home", home, "init", "--languages", language)
    assert (MULTILINGUAL in begun.out + begun.err) is (language != "en")
    imported = run("--home", home, "import", "claude-code", transcripts(tmp_path, language))
    assert "1 rule" in imported.out
    assert "pnpm" in imported.out
    said = imported.out + imported.err
    offered = [line.strip() for line in said.splitlines() if "recollect search" in line]
    assert len(offered) == 3
    for line in offered:
        _, *words = shlex.split(line)
        assert run("--home", home, *words, "--json").json["hits"], line
    (session,) = run("--home", home, "sessions", "list", "--json").json["sessions"]
    shown = run("--home", home, "sessions").out
    assert "pnpm" in shown  # the work, and not the greeting
    remembered = run("--home", home, "remember", PREFERENCES[language])
    assert "remembered f" in remembered.out
    kept = run("--home", home, "observe", "Deployed v2 to staging", "--project", tmp_path)
    assert f"of the project {tmp_path}" in kept.out + kept.err
    assert session["id"] not in json.dumps(
        run("--home", home, "observe", "--last", "1", "--json").json
    )
    following = run("--home", home, "sessions", "start", "--project", tmp_path).out.strip()
    block = run("--home", home, "context", following, "--query", "pnpm npm")
    assert block.code == 0
    assert "pnpm" in block.out or "nothing to add" in block.err


def test_the_page_has_the_steps_of_the_day() -> None:
    """Whoever follows it does what is tested here."""
    text = QUICKSTART.read_text(encoding="utf-8")
    places = [
        text.index(step)
        for step in (
            "recollect init",
            "--languages",
            "recollect import",
            "recollect search",
            "recollect remember",
            "recollect observe",
            "recollect context",
        )
    ]
    assert places == sorted(places)
