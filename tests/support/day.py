"""A day of somebody who works with an agent that remembers: what they type, and what they see.

Each act asserts what its user relies on, and notes how long they waited. The agent is the real
Claude Code or the played one.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.agent_user import Agent, Call, Turn, User

DECISION = "We decided to keep orders in PostgreSQL, not in Redis."
PRIVATE = "the fox sleeps at noon"
TOKEN = "ghp_" + "a1B2" * 9
CONFIG = f"TOKEN={TOKEN}"
SECOND = "We decided to send invoices by post."
UNHEARD = "The garden gate is painted green."
AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ana"), ("EMAIL", "ana@example.org"))
}


@dataclass
class Day:
    """A user, their agent, and one project in two worktrees.

    Attributes:
        agents_own: What the agent makes in their home beside transcripts, by the start of its path.
        waits: What they waited for, in s, in order.
    """

    user: User
    agent: Agent
    agents_own: tuple[str, ...] = ()
    waits: list[tuple[str, float]] = field(default_factory=list)

    @property
    def shop(self) -> Path:
        """The project."""
        return self.user.home / "shop"

    @property
    def fix(self) -> Path:
        """Its second worktree."""
        return self.user.home / "shop-fix"

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Note how long the block takes."""
        begun = time.perf_counter()
        yield
        self.waits.append((what, time.perf_counter() - begun))

    def begin(self) -> None:
        """Be there before recollect: settings of the agent, and a project with two worktrees."""
        settings = self.user.home / ".claude" / "settings.json"
        settings.parent.mkdir()
        settings.write_text('{\n    "cleanupPeriodDays": 30\n}\n', encoding="utf-8")
        self.shop.mkdir()
        (self.shop / "config.env").write_text(f"{CONFIG}\n", encoding="utf-8")
        for words in (
            ["init"],
            ["add", "."],
            ["commit", "-m", "One"],
            ["worktree", "add", "../shop-fix"],
        ):
            self._git(*words)

    def connect(self) -> None:
        """Put the memory into the agent: what is announced is what is written, and no more."""
        with self.waiting("recollect init"):
            self.user.types("init")
        self.user.types("config", "set", "embedding.provider", "none")
        before = self.user.files()
        announced = self.user.asks("init", "claude-code", "--dry-run")
        assert self.user.files().keys() == before.keys(), "a dry run writes nothing"
        with self.waiting("recollect init claude-code"):
            self.user.types("init", "claude-code")
        after = self.user.files()
        touched = {path for path in after if after[path] != before.get(path)}
        listed = {
            str(Path(each["path"]).relative_to(self.user.home)) for each in announced["files"]
        }
        assert {path for path in touched if not path.startswith(".recollect/")} == {
            path for path in listed if not path.startswith(".recollect/")
        }
        with self.waiting("recollect serve --daemon"):
            self.user.types("serve", "--daemon")

    def work_in_two_worktrees(self) -> None:
        """A decision in one worktree is there in the other; what is private or secret is not."""
        read = Call("cat config.env", CONFIG, "toolu_read")
        with self.waiting("a turn of the agent, one command"):
            first = self.agent.run(
                Turn(f"{DECISION} <private>{PRIVATE}</private>", [read], "Noted."), self.shop
            )
        with self.waiting("recollect sync"):
            self.user.types("sync")
        with self.waiting("a turn of the agent, no command"):
            second = self.agent.run(Turn("Where do orders go?"), self.fix)
        assert "PostgreSQL" in second.given, "what was decided in the other worktree is recalled"
        assert PRIVATE not in second.given
        assert TOKEN not in second.given
        self.user.types("sync")
        sessions = self.user.asks("sessions")["sessions"]
        assert {each["id"] for each in sessions}
        assert len(sessions) == 2
        assert first.session != second.session
        (observed,) = self._observations("toolu_read")
        assert TOKEN not in str(observed)

    def pause(self) -> None:
        """Nothing of what is said meanwhile is kept, also not afterwards."""
        with self.waiting("recollect pause"):
            self.user.types("pause")
        self.agent.run(Turn(UNHEARD, [Call("echo unheard", "unheard", "toolu_unheard")]), self.shop)
        self.user.types("resume")
        self.user.types("sync")
        assert not self.user.asks("search", "garden gate")["hits"] or (
            "garden gate" not in str(self.user.asks("search", "garden gate")["hits"])
        )
        assert not self._observations("toolu_unheard")

    def look(self) -> None:
        """See what was put into the last prompt."""
        with self.waiting("recollect context --last"):
            last = self.user.types("context", "--last")
        assert "PostgreSQL" in last

    def forget(self) -> None:
        """What is forgotten is neither found nor injected again."""
        self.agent.run(Turn(SECOND, [], "Noted."), self.shop)
        self.user.types("sync")
        known = self.agent.run(Turn("How do invoices go out?"), self.fix)
        assert "invoices by post" in known.given
        observed = self.user.asks("observe", "--last", "50")["observations"]
        (number,) = (one["number"] for one in observed if SECOND in one["title"])
        assert f"[#{number} " in known.given
        with self.waiting("recollect forget"):
            self.user.types("forget", f"#{number}")
        after = self.agent.run(Turn("Who sends the invoices?"), self.fix)
        assert f"[#{number} " not in after.given
        self.user.types("sync")

    def leave(self, before: dict[str, bytes]) -> None:
        """Take it all out again: every file that goes is listed, and none of ours is left."""
        there = self.user.files()
        with self.waiting("recollect uninstall --with-memory"):
            gone = self.user.asks("uninstall", "--with-memory", "--yes")
        left = self.user.files()
        listed = [Path(path) for path in gone["removed"]]
        listed += [Path(one["path"]) for each in gone["integrations"] for one in each["files"]]
        for path in there.keys() - left.keys():
            whole = self.user.home / path
            assert any(whole == each or whole.is_relative_to(each) for each in listed), path
        assert {path: left[path] for path in before if path in left} == before
        made = (left.keys() | self.user.folders()) - before.keys()
        theirs = (".claude/projects/", "shop/", "shop-fix/", *self.agents_own)
        ways = {str(way) for each in theirs for way in Path(each).parents}
        foreign = sorted(p for p in made - ways if not f"{p}/".startswith(theirs))
        assert not foreign, foreign
        assert ".claude/skills" not in made, "we made it, and nothing else is in it"

    def secrets_in_the_home(self) -> list[str]:
        """Return the files of the memory that hold what must not be stored."""
        words = (PRIVATE.encode(), TOKEN.encode(), UNHEARD.encode())
        whole = {path: text for path, text in self.user.files().items() if ".recollect" in path}
        return [path for path, text in whole.items() if any(word in text for word in words)]

    def _observations(self, tool_use_id: str) -> list[object]:
        found = self.user.asks("observe", "--last", "50")
        return [each for each in found["observations"] if each.get("tool_use_id") == tool_use_id]

    def _git(self, *words: str) -> None:
        subprocess.run(
            ["git", *words],
            cwd=self.shop,
            env=self.user.surroundings | AUTHOR,
            check=True,
            capture_output=True,
        )


def live(day: Day) -> None:
    """Live the whole day."""
    day.begin()
    before = day.user.files()
    try:
        day.connect()
        day.work_in_two_worktrees()
        day.pause()
        day.look()
        day.forget()
        assert day.secrets_in_the_home() == []
        day.leave(before)
    finally:
        if day.user.memory.exists():
            day.user.types("serve", "stop")
