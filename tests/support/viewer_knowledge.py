"""What the view Knowledge shows: facts that replaced one another, claims, people, episodes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import recollect
from benchmarks.datasets.beam import load_beam
from recollect.core.clock import SystemClock
from tests.support.hostile_texts import HOSTILE
from tests.support.viewer_home import DAY, MINUTE, OVERRIDES

_SAID = (
    (-40, "I live in Leeds, in a flat above the bakery. I prefer green tea."),
    (-21, "By the way, I live in Bristol now. My dog is called Biscuit."),
    (-12, "I am allergic to peanuts. My brother Tom lives in Bergen."),
    (-3, "I'm allergic to shellfish, too. We still need to decide who owns the alerts."),
    (-1, "私は毎週水曜日に合唱団に行きます。"),
)
_WORK = (
    (-20, "The API rate limit is 100 requests per minute."),
    (-9, "We raised the API rate limit to 250 requests per minute."),
    (-2, "Let's use Valkey instead of Redis for the queue. Never deploy on Fridays."),
)
_CLAIM = "I'm also @john on Telegram. My Signal id is 7."
_BY_HAND = "رقم الرصيف هو سبعة عشر"


def fill_knowledge(home: Path) -> None:
    """Write what two people and a project say in six weeks, and claims of an agent."""
    with recollect.open(home, overrides=OVERRIDES) as memory:
        now = SystemClock().now_ms()
        for title, project, said in (
            ("Talks over tea", None, _SAID),
            ("The queue", "/srv/queue", _WORK),
        ):
            for day, text in said:
                session = memory.sessions.create(project=project, title=f"{title}, {text[:16]}…")
                at = now + day * DAY
                memory.sessions.append(session.id, "user", text, at=at)
                memory.sessions.append(session.id, "assistant", "Noted.", at=at + MINUTE)
                memory.sessions.end(session.id)
        chat = memory.sessions.open("agent:main:discord:direct:9")
        memory.sessions.append(chat.id, "user", _CLAIM)
        memory.facts.remember(None, _BY_HAND, "technical")
        memory.facts.remember(None, "Prefers the window seat", "preference", trust="agent")
        memory.facts.remember(None, "Is in Oslo every May", "habit", trust="agent")
        memory.identities.link("ann", "telegram", "42")
        memory.identities.link("ann", "slack", "U7")
        memory.sync()


def fill_talk(call: Callable[..., Any], data: Path, most: int = 60) -> None:
    """Write the first messages of a conversation of the bench data."""
    turns = [turn for own in load_beam(data).conversations[0].sessions for turn in own.turns]
    for turn in turns[:most]:
        said = {"session_key": "beam", "role": turn.role, "content": turn.text}
        call("POST", "/api/messages", said | {"created_at": turn.at})
    call("POST", "/api/sync", {})


def fill_hostile(call: Callable[..., Any]) -> list[str]:
    """Write hostile texts into all that Knowledge shows; return the facts that quote them."""
    for number, text in enumerate(HOSTILE[::20]):
        said = f"{text[:1_500]}\nMy cat is called Miso {number}."
        body = {"session_key": f"agent:main:discord:direct:h{number}", "role": "user"}
        session = call("POST", "/api/messages", body | {"content": said})["session_id"]
        printable = "".join(filter(str.isprintable, text[:80].replace(":", ";"))) + f"{number}"
        call("PATCH", f"/api/sessions/{session}", {"title": printable})
        fact = {"text": f"{number} {text[:1_900]}", "kind": "work"}
        call("POST", "/api/facts", fact | {"for_session": session})
        call("POST", "/api/facts", fact | {"trust": "agent", "about": "me"})
        account = {"channel": "telegram", "channel_user_id": printable}
        call("POST", "/api/identities", account | {"user_id": printable})
        call("POST", f"/api/sessions/{session}/end", {})
    call("POST", "/api/sync", {})
    facts = call("GET", "/api/facts?limit=500")["facts"]
    return [each["id"] for each in facts if "Miso" in each["text"]]
