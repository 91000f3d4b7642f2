"""A home that a viewer shows: conversations, work of an agent, facts, and texts of all scripts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import recollect
from benchmarks.datasets.data import find_data
from benchmarks.datasets.locomo import load_locomo
from recollect.core.clock import SystemClock
from recollect.core.errors import NotFound
from recollect.memory import Memory
from recollect.server.series import LONG, LONG_S, SHORT, SHORT_S, Sample, Series

OVERRIDES: dict[str, object] = {"embedding.provider": "none"}
PROJECTS = ("/srv/harbour", "/srv/kettle")
MINUTE = 60_000
DAY = 24 * 60 * MINUTE
_MOST_SESSIONS = 12

_WORK = (
    ("decision", None, "The queue is Redis; SQLite locks under four writers", 0.9),
    ("discovery", "Read", "tide tables come in UTC, the harbour office prints local time", 0.6),
    ("bugfix", "Bash", "Fix the PATH of cron, so that backups find pg_dump", 0.7),
    ("feature", "Edit", "Reminders before low water, an hour ahead", 0.55),
    ("change", "Edit", "Rename `boat` to `vessel` in 14 files", 0.3),
    ("discovery", "Grep", "No caller of `tide_at` passes a time zone", 0.4),
    ("decision", None, "蒸気機関の図面は PDF ではなく SVG で保存する", 0.75),
    ("discovery", "WebFetch", "ميناء الإسكندرية يغلق عند منتصف الليل", 0.45),
)
_SAID = (
    ("user", "Why do the reminders come an hour late since Sunday?"),
    (
        "assistant",
        "Because the clocks went back: the table has UTC, and we add the offset of the day on which"
        " the table was read. I keep the zone with each row now, and add it when a reminder is"
        " due.\n\nThree rows of the old table were wrong; they are read again tonight.",
    ),
    ("user", "Good. From now on write times with their zone."),
    ("assistant", "I will: every time in the harbour tables is written with its zone from now on."),
    ("user", "港の掲示板には日本語も必要です。明日の朝までにできますか？"),
    ("assistant", "はい、できます。掲示板の文を二か国語にします。"),
    ("user", "وماذا عن النسخة العربية للوحة؟"),
    ("assistant", "ستكون جاهزة يوم الأحد."),
)
_FACTS = (
    "The owner prefers short answers",
    "The harbour office closes at 18:00 on weekdays",
    "Never deploy on Fridays",
    "Reviews of the tide code go to Mara",
)


def fill_conversations(home: Path) -> None:
    """Write conversations of the bench data, where it is there; before all else, so the oldest."""
    with recollect.open(home, overrides=OVERRIDES) as memory:
        for title, messages in _conversations():
            session = memory.sessions.create(title=title)
            memory.sessions.append_many(session.id, messages)


def fill(home: Path) -> None:
    """Write what a week of work leaves."""
    with recollect.open(home, overrides=OVERRIDES) as memory:
        for number, project in enumerate(PROJECTS):
            _work(memory, number, project)
        for text in _FACTS:
            memory.facts.remember(None, text)
        memory.sync()
    _measured(home)


def _measured(home: Path) -> None:
    """Write what a worker measured in two days: busy by day, quiet by night."""
    now, series = SystemClock().now_ms(), Series()
    for step_s, steps, is_long in ((SHORT_S, SHORT, False), (LONG_S, LONG, True)):
        for step in range(steps):
            at = now - (steps - step) * step_s * 1_000
            busy = max(0.0, math.sin(at / DAY * math.tau)) * (2 + math.sin(step * 0.7))
            taken = {"records": 9_000, "index": 5_000, "blobs": 53_820, "transcripts": 900}
            sample = Sample(
                at=at,
                captured=round(busy * step_s / 5),
                searches=round(busy * 3),
                p50_ms=round(1.5 + busy / 4, 2),
                p95_ms=round(2.8 + busy, 2),
                backlog=round(busy) if step % 9 == 0 else 0,
                bytes={kind: each * (step + 1) for kind, each in taken.items()}
                if is_long
                else None,
            )
            series.add(sample, is_long=is_long)
    series.save(home)


def _conversations() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    try:
        conversations = load_locomo(find_data()).conversations
    except NotFound:
        return
    for session in conversations[0].sessions[:_MOST_SESSIONS]:
        turns = [
            {"role": turn.role, "name": turn.name, "content": turn.text, "at": turn.at}
            for turn in session.turns
        ]
        yield f"Talk {session.key.rpartition('/')[2]}", turns


def _work(memory: Memory, number: int, project: str) -> None:
    now = SystemClock().now_ms()
    for day in range(3):
        at = now - (2 - day) * DAY - (2 - number) * 50 * MINUTE
        title = f"{Path(project).name.title()}, day {day + 1}"
        session = memory.sessions.create(project=project, title=title)
        said = [
            {"role": role, "content": text, "at": at + step * MINUTE}
            for step, (role, text) in enumerate(_SAID)
        ]
        memory.sessions.append_many(session.id, said)
        done = [
            {
                "session_id": session.id,
                "tool_name": tool,
                "type": kind,
                "summary": text,
                "title": text,
                "importance": importance,
                "input": None if tool is None else {"path": f"{project}/tides.py", "step": step},
                "output": None if tool is None else f"{text}\n" * 4,
                "at": at + (step + 9) * MINUTE,
            }
            for step, (kind, tool, text, importance) in enumerate(_WORK)
        ]
        memory.observations.record_many(done)
