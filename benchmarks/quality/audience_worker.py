"""A process that plays histories with the source tree on its path, and tells every answer.

Run by `audience`, as ``python -m benchmarks.quality.audience_worker FOLDER``: a `Play` a line on
stdin, a `Played` a line on stdout. It uses the public names only, so that an older or newer tree
can answer, except to keep the background from working.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

import recollect
from benchmarks.quality.audience_calls import EVENT, ServedHome
from benchmarks.quality.audience_histories import TENANTS, History, Step
from benchmarks.quality.audience_time import TIME, Time
from recollect import RecollectError, Scope
from recollect.recall.sync import BackgroundSync

SETTINGS = {
    "embedding.provider": "none",
    "language.provider": "none",
    "store.durability": "fast",
    "sessions.mirror": False,
    "sessions.context.keep_messages": 1,
    "sessions.time_zone": "UTC",
    "context.prompt": True,
    "context.prompt_floor": 0.0,
    "server.allow_shared_folder": True,
}
QUERY = "apple"
_MOST = 1_000
_NAMES = re.compile(
    rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<![.0-9])[0-9a-f]{16,64}|rcl_[\w-]{20,}"
)
_COSTS = re.compile(rb'\\?"(took_ms|started_at|uptime_s)\\?":[0-9.]+')
_BLOCK = b"recollect-context"
_COUNTED = re.compile(rb'(?<=\()\d+(?= tokens\))|(?<=(?:tokens|.chars)":)\d+|(?<=tokens\\":)\d+')
"""Ids, and the tags of a context block that are made from them, count as tokens: some more or less
each time. The heading of a block says how many, in two digits or three."""
_LAST = 2
"""Conversations of which everything is asked at the end."""


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """A history to be played; `is_told` asks for the answers themselves."""

    history: History
    is_told: bool = False


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """What a tree answered: a digest of everything, and the answers in their order if asked for."""

    digest: str
    count: int
    answers: tuple[tuple[str, str], ...] = ()


class _Chat:
    """A conversation: its session, and those who spoke in it."""

    def __init__(self, name: str, session: Any, tenant: str) -> None:
        self.name, self.session, self.key, self.tenant = name, session.id, session.key, tenant
        self.senders: list[str | None] = [None]


class Player:
    """Plays one history in a home of its own.

    Args:
        folder: Where the home and its workspace are made; must not exist.
        history: Is played.
    """

    def __init__(self, folder: Path, history: History) -> None:
        self._home, self._workspace = folder / "home", folder / "workspace"
        self._history, self._folder = history, folder
        self._settings = {**SETTINGS, **history.settings, "workspace.path": str(self._workspace)}
        self._memories: dict[str, recollect.Memory] = {}
        self._chats: list[_Chat] = []
        self._words = self._begun_chats = 0
        self._names: dict[bytes, bytes] = {}
        self._served: ServedHome | None = None
        self.answers: list[tuple[str, bytes]] = []

    def play(self) -> None:
        """Do every step, then ask for everything on behalf of the conversations used last."""
        (self._workspace / "memory" / "shared").mkdir(parents=True)
        self._home.mkdir(mode=0o700)
        TIME.begin()
        with ExitStack() as held:
            held.callback(self._close)
            self._open()
            if self._history.is_served:
                self._served = ServedHome(self._home, self._memories)
                held.callback(self._served.close)
            self._note("MEMORY.md")
            for number, step in enumerate(self._history.steps):
                TIME.go_on()
                self._do(number, step)
                self._set_file_times()
            TIME.go_on()
            self._ask_everything()

    def _do(self, number: int, step: Step) -> None:
        steps: Mapping[str, Callable[[Step], object]] = {
            "say": self._say,
            "group": self._say,
            "reset": self._say,
            "bring": self._bring,
            "fork": self._fork,
            "delete": self._delete,
            "flush": lambda step: self._of(step, lambda chat, its: its.flush(chat.session)),
            "compact": lambda step: self._of(step, lambda chat, its: its.compact(chat.session)),
            "prune": lambda step: self._memories[TENANTS[step.pick % 2]].prune(),
            "erase": self._erase,
            "note": lambda step: self._note(step.given["path"]),
            "sync": lambda _: self._sync(),
            "reindex": lambda _: self._reindex(),
            "settings": self._change,
            "token": self._token,
            "revoke": lambda step: self._tokens().revoke(step.pick),
            "ask": self._ask,
            "call": self._call,
            "send": self._send,
            "listen": self._listen,
        }
        done = _tried(lambda: steps[step.do](step))
        self._tell(f"{number} {step.do}", done)

    def _tell(self, name: str, answer: object) -> None:
        """Keep an answer, with ids and hashes as the numbers in which they came up."""
        told = answer if isinstance(answer, bytes) else msgspec.json.encode(answer, enc_hook=str)
        told = told.replace(str(self._folder).encode(), b"FOLDER")
        told = _COSTS.sub(rb'"\1":0', told)
        if _BLOCK in told or "/mcp" in name or name.startswith("injections"):
            told = _COUNTED.sub(b"N", told)
        asked = _NAMES.sub(self._named, name.encode()).decode()
        self.answers.append((asked, _NAMES.sub(self._named, told)))

    def _named(self, found: re.Match[bytes]) -> bytes:
        return self._names.setdefault(found[0], b"ID%d" % len(self._names))

    def _open(self) -> None:
        if self._history.is_served:  # the worker reads them; to read them here as well takes long
            path = self._home / "config.yaml"
            path.write_text(json.dumps(_nested(self._settings)), "utf-8")  # JSON is YAML
            path.chmod(0o600)
        for tenant in TENANTS:
            own = self._settings | ({} if tenant == "local" else {"workspace.path": None})
            self._memories[tenant] = recollect.open(
                self._home, overrides=own, scope=Scope(tenant=tenant), live=False
            )

    def _close(self) -> None:
        for memory in self._memories.values():
            memory.close()

    def _change(self, step: Step) -> None:
        self._settings |= step.given
        self._close()
        self._open()
        TIME.let_caches_end()

    def _set_file_times(self) -> None:
        """Give what was written the time of the history: it counts as when it was said."""
        for folder in (self._workspace, self._home / "notes"):
            for path in folder.rglob("*.md"):
                if path.stat().st_mtime_ns > TIME.now_ns():
                    os.utime(path, ns=(TIME.now_ns(), TIME.now_ns()))

    def _sync(self) -> None:
        for memory in self._memories.values():
            memory.sync()

    def _reindex(self) -> None:
        self._memories["local"].reindex()

    def _word(self) -> str:
        self._words += 1
        return f"zq{self._words}x"

    def _note(self, path: str) -> None:
        file = self._workspace / path
        file.write_text(f"# Notes\n\nApple {self._word()} of the owner.\n", encoding="utf-8")
        self._set_file_times()

    def _say(self, step: Step) -> object:
        """Store a turn with a tool and an answer, and an observation."""
        given = step.given
        its = self._memories[given["tenant"]].sessions
        session = self._begun(step, its)
        # The first turn has an event id, which a token that may only write sends again.
        event = {} if any(each.session == session.id for each in self._chats) else EVENT
        chat = next((each for each in self._chats if each.session == session.id), None)
        if chat is None:
            chat = self._went_on(session, given["tenant"])
        sender = given["sender"]
        if sender not in chat.senders:
            chat.senders.append(sender)
        result = [{"type": "tool_result", "tool_use_id": "c", "content": f"apple {self._word()}"}]
        text = f"Remember: I prefer apple {self._word()}."
        its.append_many(
            session.id,
            [
                {"role": "user", "content": text, "sender": sender, **event},
                ("user", result),
                ("assistant", f"apple {self._word()}"),
            ],
        )
        observed = self._memories[given["tenant"]].observations.record(
            session.id,
            "exec",
            input={"command": f"apple {self._word()}"},
            output=f"apple {self._word()}",
            error=f"Error: apple {self._word()}" if step.pick % 3 == 0 else None,
            summary=f"apple {self._word()}",
            type=("bugfix", "decision", "discovery", "change")[step.pick % 4],
        )
        return session, observed

    def _went_on(self, session: Any, tenant: str) -> _Chat:
        """Add a conversation."""
        self._begun_chats += 1
        self._chats.append(_Chat(f"conversation {self._begun_chats}", session, tenant))
        return self._chats[-1]

    def _begun(self, step: Step, its: Any) -> Any:
        """Return the session of a turn."""
        given, begin = step.given, its.reset if step.do == "reset" else its.open
        if "key" in given:
            if given["key"] is None:
                return its.create(project=given["project"], owner=given["owner"])
            return begin(given["key"], given["project"], owner=given["owner"])
        where = {
            name: given[name] for name in ("account", "chat_type", "thread") if given.get(name)
        }
        key = its.key_for(given["agent"], given["channel"], given["peer"], **where)
        if step.do == "group":
            its.history.add(key, "somebody", f"apple {self._word()}")
        return begin(key, given.get("project"))

    def _chat(self, pick: int) -> _Chat | None:
        return self._chats[pick % len(self._chats)] if self._chats else None

    def _of(self, step: Step, do: Callable[[_Chat, Any], object]) -> object:
        chat = self._chat(step.pick)
        return chat and do(chat, self._memories[chat.tenant].sessions)

    def _fork(self, step: Step) -> object:
        chat = self._chat(step.pick)
        if chat is None:
            return None
        fork = self._memories[chat.tenant].sessions.fork(chat.session)
        self._went_on(fork, chat.tenant).senders = list(chat.senders)
        return fork

    def _delete(self, step: Step) -> object:
        """Delete a conversation, or bring it back."""

        def turn(chat: _Chat, its: Any) -> object:
            is_there = its.get(chat.session).status != "deleted"
            return its.set_status(chat.session, "deleted" if is_there else "active")

        return self._of(step, turn)

    def _erase(self, step: Step) -> object:
        chat = self._chat(step.pick)
        if chat is None:
            return None
        with_forks = step.pick % 3 > 0
        receipt = self._memories[chat.tenant].erase(session_id=chat.session, with_forks=with_forks)
        self._chats = [each for each in self._chats if each.session not in receipt.session_ids]
        return receipt.session_ids

    def _bring(self, step: Step) -> object:
        """Import a transcript of a main session that several people share."""
        name = f"i{self._words}"
        said = {"role": "user", "content": f"apple {self._word()}", "sender": step.given["sender"]}
        lines = [
            {"recollect": 1, "id": name, "key": "agent:main:main"},
            said,
            {"role": "assistant", "content": f"apple {self._word()}"},
        ]
        path = self._folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        os.utime(path, ns=(TIME.now_ns(), TIME.now_ns()))
        memory = self._memories[step.given["tenant"]]
        memory.import_transcripts(path)
        session = next(each for each in memory.sessions.list() if each.foreign_id == name)
        self._went_on(session, step.given["tenant"]).senders.append(step.given["sender"])
        return session

    def _ask(self, step: Step) -> None:
        """Ask in every way on behalf of one conversation."""
        if chat := self._chat(step.pick):
            self._asked(chat, step.given["sender"])

    def _asked(self, chat: _Chat, sender: str | None) -> None:
        memory, session = self._memories[chat.tenant], chat.session
        asking: dict[str, Any] = {"for_session": session, "for_sender": sender}
        found = _tried(lambda: memory.search(QUERY, _MOST, 0.0, **asking))
        ways: dict[str, Callable[[], object]] = {
            "search": lambda: found,
            "search by sources": lambda: memory.search(
                QUERY, _MOST, sources=["observations", "episodes"], **asking
            ),
            "lines": lambda: memory.lines(found, **asking),
            "number": lambda: memory.search("m1", **asking),
            "observation": lambda: memory.search("#1", **asking),
            "get": lambda: memory.get(["#1", "m2", "e1", "m4"], None, **asking),
            "files": lambda: memory.files(**asking),
            "view": lambda: memory.sessions.view(session, for_sender=sender),
            "messages": lambda: memory.sessions.messages(session, for_session=session),
            "sessions": lambda: memory.sessions.list(for_session=session),
            "episodes": lambda: memory.sessions.episodes(for_session=session),
            "observations": lambda: memory.observations.list(limit=_MOST, **asking),
            "batch": lambda: memory.observations.get([f"#{n}" for n in range(1, 30)], **asking),
            "timeline": lambda: memory.observations.timeline(1, after=200, **asking),
            "timeline of a question": lambda: memory.observations.timeline(query=QUERY, **asking),
            "around": lambda: memory.observations.timeline("#2", after=200, **asking),
            "export": lambda: b"".join(memory.export_session(session, "jsonl").lines()),
            "prompt": lambda: memory.context(session, QUERY, None, "prompt", for_sender=sender),
            "startup": lambda: memory.context(session, None, None, "startup", for_sender=sender),
            "injections": lambda: memory.context.injections(None, _MOST, **asking),
        }
        for path in self._files():
            ways[f"read {path}"] = partial(memory.read, path, **asking)
        for way, ask in ways.items():
            self._tell(f"{way} for {chat.name} as {sender}", _tried(ask))

    def _files(self) -> list[str]:
        notes = sorted(path.relative_to(self._home) for path in self._home.glob("notes/*/*.md"))
        return ["MEMORY.md", "memory/shared/tea.md", *map(str, notes[:4])]

    def _ask_everything(self) -> None:
        self._sync()
        self._set_file_times()
        for chat in self._chats[-_LAST:]:
            self._asked(chat, chat.senders[-1])
        if self._chats:
            self._asked(self._chats[-1], None)
        for tenant, memory in self._memories.items():
            everything = partial(memory.search, QUERY, _MOST, 0.0)
            ways: dict[str, Callable[[], object]] = {
                "search": everything,
                "events": partial(_listed, memory.events.since),
                "episodes": partial(memory.sessions.episodes, limit=_MOST),
                "sessions": memory.sessions.list,
                "search of ann": partial(everything, scope=Scope(tenant=tenant, user="ann")),
                "search of 42": partial(everything, scope=Scope(tenant=tenant, user="telegram:42")),
            }
            for way, ask in ways.items():
                self._tell(f"{way} of the operator of {tenant}", _tried(ask))
        if self._served is not None:
            for name, answer in self._served.everything(self._chats_named(), self._files()):
                self._tell(name, answer)

    def _chats_named(self) -> list[str]:
        return [name for chat in self._chats[-_LAST:] for name in (chat.session, chat.key) if name]

    def _tokens(self) -> Any:
        if self._served is None:
            raise RuntimeError("only a home that is served has tokens")
        return self._served

    def _token(self, step: Step) -> object:
        """Make a token; one of a session is of a conversation that has a key."""
        if self._served is None:
            return None
        given = dict(step.given)
        if given["audience"] == "session":
            keys = [each.key for each in self._chats if each.key and each.tenant == given["tenant"]]
            given["audience"] = f"session:{keys[step.pick % len(keys)]}" if keys else "shared"
        return self._served.add(given)

    def _call(self, step: Step) -> None:
        """Ask some routes with one token."""
        self._sync()
        for name, answer in self._tokens().some(step.pick, self._chats_named(), self._files()):
            self._tell(name, answer)

    def _send(self, step: Step) -> None:
        """Store something with one token: it may be told what it stored."""
        sent = self._tokens().sent(
            step.pick, self._chats_named(), step.given["sender"], self._word()
        )
        for name, answer in sent:
            self._tell(name, answer)

    def _listen(self, step: Step) -> object:
        return self._tokens().listen(step.pick)


def _tried(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except RecollectError as error:
        return {"error": error.as_dict()}


def _listed(ask: Callable[[], Iterable[object]]) -> list[object]:
    return list(ask())


def _nested(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings by dotted key as the settings file has them."""
    tree: dict[str, Any] = {}
    for key, value in settings.items():
        *folders, name = key.split(".")
        place = tree
        for folder in folders:
            place = place.setdefault(folder, {})
        place[name] = value
    return tree


def played(folder: Path, order: Play) -> Played:
    """Return what this tree answers in a history.

    Raises:
        RecollectError: the home cannot be opened or closed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    player = Player(folder, order.history)
    try:
        player.play()
    finally:
        shutil.rmtree(folder)
    digest = blake2b(msgspec.json.encode(player.answers)).hexdigest()
    told = tuple((name, answer.decode()) for name, answer in player.answers)
    return Played(digest=digest, count=len(told), answers=told if order.is_told else ())


def main() -> None:
    """Answer each line on stdin."""
    Time.install()
    # What a sync derives, like facts, has numbers in the journal. Beside the steps it would take
    # them by chance, so only the steps sync.
    BackgroundSync.ask = lambda *_, **__: None  # type: ignore[method-assign]
    for line in sys.stdin.buffer:
        done = played(Path(sys.argv[1]) / "played", msgspec.json.decode(line, type=Play))
        sys.stdout.buffer.write(msgspec.json.encode(done) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
