"""Random histories: no surface says to anybody what is not theirs, whatever ids and names are.

Who hears a word is said here anew, from who said it where, and not taken from the code. A history
is told by its seed; `make soak` plays 10,000 of them.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

import recollect
from recollect.audience import visibility as group_visibility
from recollect.audience.visibility import OPERATOR, group_of_turn
from recollect.core.errors import Denied, InvalidInput, NotFound
from recollect.core.scope import ConversationTurn, Scope
from recollect.core.settings.agents import Walls
from recollect.index.model import visibility
from recollect.index.query.hit import SearchResult
from recollect.memory import Memory
from recollect.observations import rows
from recollect.observations.observation import TYPES
from recollect.recall import observation_source
from recollect.recall.context import candidates
from recollect.recall.context.block import ContextItem
from recollect.recall.context.contexts import Contexts
from recollect.recall.steps import timeline
from recollect.sessions.context.episode import Episode, episodes_of, hearers_of

HISTORIES = int(os.environ.get("AUDIENCE_HISTORIES", "36"))  # noqa: TID251 - `make soak`
SEED = int(os.environ.get("AUDIENCE_SEED", "20261122"))  # noqa: TID251 - to play one again
PARTS = 12
"""Tests that share the histories, so that all cores play."""
STEPS = 14

LINKS = ["ann=telegram:123", "ann=discord:9", "ann=irc:libera:nan", "bob=77", "eve=slack:acme:E1"]
OWNER = ["telegram:42", "irc:libera:own", "eve"]
HOSTILE = (
    *("ann", "bob", "eve", "Ann", "owner", "operator", "main", "local", "own", "77 ", "unknown"),
    *("direct:42", "42:thread:1", "group:-1", "cron:x", "subagent:1", "telegram:42", "a:b"),
    *("thread", "direct", "group", "cron", "subagent", "agent:main:main", ":", "%3A", "a%3Ab", "%"),
    *('"]', '42","x', "' OR 1=1 --", "../../x", "x\u200b", "ＡＮＮ", "🦉", "*", "null", "None"),
    *("telegram%3A42", "libera:own", "42%00", "E1", "123", "9", "42"),
)
PLACES = ("telegram", "slack", "discord", "irc", "matrix", "web", "unknown")
GLOBAL = {"telegram", "discord", "matrix", "signal", "whatsapp"}
TOKEN = re.compile(r"zq\d+x")
SEEN = re.compile(r"z[op]\d+x")
"""Words of observations: ``zo…`` of titles, ``zp…`` of inputs, outputs and errors."""

SUBSTANCE = ("decision", "bugfix", "architecture", "code_change", "git_operation")
"""Types that a block is made of by themselves; of others it may have nothing to say."""

Audience = tuple[str, ...]


def person(channel: str, network: str, user: str) -> tuple[str, ...]:
    """Return who an account is: the owner, a linked person, or itself."""
    network = "" if channel in GLOBAL or network == "default" else network
    if (channel, network, user) in {("telegram", "", "42"), ("irc", "libera", "own")}:
        return ("owner",)
    if (channel, network, user) == ("slack", "acme", "E1"):
        return ("owner",)
    if user == "77":
        return ("person", "bob")
    linked = {("telegram", "", "123"), ("discord", "", "9"), ("irc", "libera", "nan")}
    if (channel, network, user) in linked:
        return ("person", "ann")
    return ("account", channel, network, user)


def spelt(channel: str, network: str, user: str) -> str:
    """Return an account as a sender."""
    parts = (
        [channel, user] if {network, channel} & {"default", *GLOBAL} else [channel, network, user]
    )
    return ":".join(part.replace("%", "%25").replace(":", "%3A") for part in parts)


class Said:
    """A conversation of a tenant: the session that goes on, and who is asked for."""

    def __init__(self, session: str, tenant: str, agent: str, place: Audience | None) -> None:
        self.session, self.tenant, self.agent, self.place = session, tenant, agent, place
        self.askers: dict[str | None, Audience] = {}
        """Whom it may answer; of None, whose turn its newest message is."""


class History:
    """Plays one history, and knows who may hear each word."""

    def __init__(self, folder: Path, seed: int, opened: ExitStack) -> None:
        self.dice = random.Random(seed)
        self.log: list[str] = []
        scopes = ("main", "main", "per-peer", "per-channel-peer", "per-account-channel-peer")
        self.scope = self.dice.choice(scopes)
        self.folder = folder
        self.is_apart = self.dice.random() < 0.4
        """Whether agents are apart that the settings do not name."""
        self.named = {each: self.dice.choice((None, True, False)) for each in ("main", "work")}
        """Whether the settings say that an agent is apart."""
        (folder / "home").mkdir(mode=0o700, parents=True)
        (folder / "home" / "config.yaml").write_text(self.walls(), "utf-8")
        workspace = folder / "workspace"
        (workspace / "memory").mkdir(parents=True)
        (workspace / "MEMORY.md").write_text("apple of the owner\n", "utf-8")
        overrides = {
            "sessions.direct_scope": self.scope,
            "sessions.identity_links": LINKS,
            "sessions.owner": OWNER,
            "sessions.mirror": False,
            "sessions.retention.max_messages": self.dice.choice((3, 9)),
            "sessions.context.keep_messages": 1,
            "store.durability": "fast",
            "observations.shared": self.dice.random() < 0.5,
            "context.types": TYPES,
            "context.prompt": True,
            "context.prompt_floor": 0.0,
            "embedding.provider": "none",
            "search.snippet_chars": 20_000,
            "search.lexical.backend": self.dice.choice(("postings", "postings", "fts5")),
        }
        self.memories = {
            tenant: self.opened(tenant, overrides, opened) for tenant in ("local", "other")
        }
        self.chats: dict[str, Said] = {}
        self.heard: dict[str, tuple[str, Audience]] = {}
        """Tenant and audience of each word."""
        self.of: dict[str, str] = {}
        """The session that each word was said in."""
        self.sayers: dict[str, set[str]] = {}
        """That session and its forks: each may have written the word into notes."""
        self.gone: set[str] = set()
        """Sessions that were erased."""
        self.hidden: set[str] = set()
        """Sessions that are deleted now."""
        self.erased: set[str] = set()
        """Words that nobody may hear any more."""
        self.shared = bool(overrides["observations.shared"])
        self.seen: dict[str, tuple[str, Audience, str]] = {}
        """Tenant, audience and session of each word of an observation."""
        self.substance: set[str] = set()
        """Titles that a block has without a question."""
        self.numbered: dict[tuple[str, int], str] = {}
        """The word of the title of each observation."""
        self.pending: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.is_whole = True
        """Whether everything that may be heard is still there."""

    def opened(self, tenant: str, overrides: dict[str, object], opened: ExitStack) -> Memory:
        """Return the memory of a tenant."""
        return opened.enter_context(
            recollect.open(
                self.folder / "home",
                self.folder / "workspace" if tenant == "local" else None,
                overrides=overrides,
                scope=Scope(tenant=tenant),
                live=False,
            )
        )

    def walls(self) -> str:
        """Return the settings that say which agents are apart."""
        said = "".join(
            f"  {agent}: {{apart: {str(is_apart).lower()}}}\n"
            for agent, is_apart in self.named.items()
            if is_apart is not None
        )
        return f"apart: {str(self.is_apart).lower()}\n" + (f"agents:\n{said}" if said else "")

    def hearers(self, who: tuple[str, ...], agent: str) -> Audience:
        """Return who hears what somebody says to an agent: an owner says it to all that share."""
        said = self.named[agent]
        is_apart = self.is_apart if said is None else said
        return (*who, "*" if who == ("owner",) and not is_apart else agent)

    def play(self) -> None:
        """Do some steps, then ask everywhere."""
        steps = [self.chat] * 6 + [self.fork, self.delete, self.flush, self.bring, self.group]
        steps += [self.compact, self.prune, self.erase, self.wait, self.reindex]
        for _ in range(STEPS):
            step = self.dice.choice(steps)
            self.log.append(step.__name__)
            step()
        for memory in self.memories.values():
            memory.sync()
        self.check()

    def account(self) -> tuple[str, str, str]:
        """Return channel, network and id of somebody."""
        known = [("telegram", "default", "42"), ("irc", "libera", "own"), ("discord", "x", "9")]
        known += [("telegram", "work", "123"), ("irc", "libera", "nan"), ("slack", "acme", "E1")]
        known += [("irc", "oftc", "own"), ("irc", "default", "nan"), ("slack", "default", "77")]
        if self.dice.random() < 0.5:
            return self.dice.choice(known)
        network = self.dice.choice(("default", "libera", "acme", "direct", "a:b"))
        return self.dice.choice(PLACES), network, self.dice.choice(HOSTILE).strip()

    def chat(self) -> None:
        """Say something, in a direct chat, a main session or a job."""
        tenant = self.dice.choice(("local", "local", "other"))
        agent = self.dice.choice(("main", "main", "work"))
        sessions = self.memories[tenant].sessions
        if self.dice.random() < 0.25:
            key = self.dice.choice((None, f"agent:{agent}:main", f"agent:{agent}:cron:daily"))
            agent = "main" if key is None else agent
            session = sessions.create() if key is None else sessions.open(key)
            return self.speak(Said(session.id, tenant, agent, None), None)
        channel, network, user = who = self.account()
        thread = self.dice.choice((None, *HOSTILE)) if self.dice.random() < 0.3 else None
        try:
            key = sessions.key_for(agent, channel, user, account=network, thread=thread)
        except InvalidInput:
            return None
        self.log.append(f"{tenant} {key}")
        session = sessions.reset(key) if self.dice.random() < 0.1 else sessions.open(key)
        says = self.scope in {"main", "per-peer"} or self.dice.random() < 0.5
        chat = Said(session.id, tenant, agent, None)
        return self.speak(chat, who, spelt(*who) if says else None)

    def speak(
        self, chat: Said, who: tuple[str, str, str] | None, sender: str | None = None
    ) -> None:
        """Store a turn: question, tool and answer, all of whom it is with."""
        session, tenant, place = chat.session, chat.tenant, chat.place
        audience = place or self.hearers(("owner",) if who is None else person(*who), chat.agent)
        words = [self.word(session, tenant, audience) for _ in range(3)]
        result = [{"type": "tool_result", "tool_use_id": "c", "content": f"apple {words[1]}"}]
        user = {
            "role": "user",
            "content": f"Remember: I prefer apple {words[0]}.",
            "sender": sender,
        }
        if session in self.hidden:
            self.memories[tenant].sessions.set_status(session, "active")
            self.hidden.discard(session)
        self.memories[tenant].sessions.append_many(
            session, [user, ("user", result), ("assistant", f"apple {words[2]}")]
        )
        self.observe(session, tenant, audience)
        chat = self.chats.setdefault(session, chat)
        chat.askers[None] = audience
        if sender is not None and place is None:
            chat.askers[sender] = audience

    def observe(self, session: str, tenant: str, audience: Audience) -> None:
        """Record what the agent did for whoever is answered."""
        number = len(self.seen)
        told, given, came, failed = (f"z{k}{number + n}x" for n, k in enumerate("oppp"))
        self.seen |= dict.fromkeys((told, given, came, failed), (tenant, audience, session))
        observed = self.memories[tenant].observations.record(
            session,
            "exec",
            input={"command": f"apple {given}"},
            output=f"apple {came}" * self.dice.choice((1, 3_000)),
            error=f"Error: apple {failed}",
            summary=f"apple {told}",
            type=self.dice.choice((*TYPES, *SUBSTANCE)),
        )
        self.numbered[tenant, observed.number] = told
        if observed.type in SUBSTANCE:
            self.substance.add(told)

    def word(self, session: str, tenant: str, audience: Audience) -> str:
        """Return a word that only some may hear."""
        said = f"zq{len(self.heard) + 1}x"
        self.heard[said] = (tenant, audience)
        self.of[said] = session
        self.sayers[said] = {session}
        return said

    def group(self) -> None:
        """Say something in a group, and keep something for its next answer."""
        tenant, agent = self.dice.choice(("local", "other")), "main"
        channel, network, peer = self.account()
        kind = self.dice.choice(("group", "channel", "room"))
        sessions = self.memories[tenant].sessions
        key = sessions.key_for(agent, channel, peer, account=network, chat_type=kind)
        session = sessions.open(key)
        network = "" if network == "default" else network
        place = ("place", agent, channel, network, kind, peer)
        self.speak(Said(session.id, tenant, agent, place), None, spelt(*self.account()))
        for each, memory in self.memories.items():  # the same place is another one in each tenant
            waiting = f"zq{10_000 + sum(map(len, self.pending.values()))}x"
            memory.sessions.history.add(key, "somebody", waiting)
            self.pending[each, key].add(waiting)

    def any_chat(self) -> Said | None:
        """Return one of the conversations that are there."""
        there = sorted(set(self.chats) - self.hidden)
        return self.chats[self.dice.choice(there)] if there else None

    def fork(self) -> None:
        """Go on in a fork of a conversation, as whoever it is with."""
        chat = self.any_chat()
        if chat is None:
            return
        fork = self.memories[chat.tenant].sessions.fork(chat.session)
        made = self.chats[fork.id] = Said(fork.id, chat.tenant, chat.agent, chat.place)
        made.askers = dict(chat.askers)
        for sayers in self.sayers.values():
            if chat.session in sayers:
                sayers.add(fork.id)

    def delete(self) -> None:
        """Delete a conversation, or bring one back."""
        if self.hidden and self.dice.random() < 0.5:
            session = self.dice.choice(sorted(self.hidden))
            self.memories[self.chats[session].tenant].sessions.set_status(session, "active")
            self.hidden.discard(session)
        elif chat := self.any_chat():
            self.memories[chat.tenant].sessions.set_status(chat.session, "deleted")
            self.hidden.add(chat.session)

    def flush(self) -> None:
        """Write what must last into notes."""
        if chat := self.any_chat():
            self.memories[chat.tenant].sessions.flush(chat.session)

    def compact(self) -> None:
        """Let a summary stand for what whoever is answered heard."""
        if chat := self.any_chat():
            self.memories[chat.tenant].sessions.compact(chat.session)

    def prune(self) -> None:
        """Remove what is above the caps, and keep an episode of it."""
        done = self.memories[self.dice.choice(("local", "other"))].prune()
        self.is_whole &= not done.messages

    def erase(self) -> None:
        """Remove a conversation with its forks for good."""
        chat = self.any_chat()
        if chat is None or self.dice.random() < 0.5:
            return
        memory = self.memories[chat.tenant]
        self.gone |= {*memory.erase(session_id=chat.session, with_forks=True).session_ids}
        for session, each in list(self.chats.items()):
            with suppress(NotFound):
                self.memories[each.tenant].sessions.get(session)
                continue
            del self.chats[session]
        self.hidden &= set(self.chats)
        for each in self.chats.values():  # a fork of an erased fork shares nothing any more
            if not self.memories[each.tenant].sessions.messages(each.session, 1):
                each.askers.pop(None, None)
        self.erased |= {word for word, session in self.of.items() if session not in self.chats}

    def bring(self) -> None:
        """Import a transcript of a main session that several people share."""
        tenant, who = self.dice.choice(("local", "other")), self.account()
        number, name = len(self.heard), f"i{len(self.heard)}"
        audience = self.hearers(person(*who), "main")
        words = [f"zq{number + place}x" for place in (1, 2)]
        lines: list[dict[str, Any]] = [
            {"recollect": 1, "id": name, "key": "agent:main:main"},
            {"role": "user", "content": f"apple {words[0]}", "sender": spelt(*who)},
            {"role": "assistant", "content": f"apple {words[1]}"},
        ]
        path = self.folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        self.memories[tenant].import_transcripts(path)
        listed = self.memories[tenant].sessions.list()
        session = next(each.id for each in listed if each.foreign_id == name)
        for word in words:
            assert self.word(session, tenant, audience) == word
        self.chats[session] = Said(session, tenant, "main", None)
        self.chats[session].askers = {None: audience, spelt(*who): audience}

    def wait(self) -> None:
        """Bring the index up."""
        for memory in self.memories.values():
            memory.sync()

    def reindex(self) -> None:
        """Build the index anew."""
        if self.dice.random() < 0.3:
            self.memories["local"].reindex()

    def check(self) -> None:
        """Ask on behalf of everybody, in every way."""
        for tenant, memory in self.memories.items():
            told = "".join(msgspec.json.encode(each).decode() for each in memory.events.since())
            assert not TOKEN.search(told)
            assert not SEEN.search(told)
            others = [c.session for c in self.chats.values() if c.tenant != tenant]
            assert not [session for session in others if session in told]
            for session in others:
                for ask in (memory.sessions.view, memory.sessions.messages, memory.sessions.get):
                    with pytest.raises(NotFound):
                        ask(session)
                with pytest.raises(NotFound):
                    memory.export_session(session, "jsonl")
                with pytest.raises(NotFound):
                    memory.search("apple", for_session=session)
            for hit in memory.search("apple", 1_000, 0.0).hits:
                words = set(TOKEN.findall(hit.snippet))
                self.observed(tenant, set(SEEN.findall(hit.snippet)), None)
                if hit.session_id is None:
                    self.noted(tenant, words, None)
                else:
                    self.within(tenant, words, None)
            assert not [session for session in others if self.episodes(tenant, session)]
        self.check_files()
        kept = self.told_in_episodes()
        for (tenant, key), waiting in self.pending.items():
            found = self.memories[tenant].sessions.history.pending(key)
            assert {message.text for message in found} <= waiting
        for chat in self.chats.values():
            for asker, audience in chat.askers.items():
                self.ask(chat, asker, audience)
                group = self.memories[chat.tenant].sessions.visibility_group(chat.session, asker)
                self.within(chat.tenant, kept[chat.tenant, group.name], audience)
            export = self.memories[chat.tenant].export_session(chat.session, "jsonl")
            words = set(TOKEN.findall(b"".join(export.lines()).decode()))
            self.within(chat.tenant, words, None)
            assert all(chat.session in self.sayers[word] for word in words)

    def episodes(self, tenant: str, session: str) -> list[Episode]:
        """Return the episodes of a session, as a tenant sees them."""
        records = self.memories[tenant]._rooms.records  # noqa: SLF001 - no other surface
        return records.read(partial(episodes_of, scope=Scope(tenant=tenant), session_id=session))

    def told_in_episodes(self) -> dict[tuple[str, str], set[str]]:
        """Return the words that each visibility group of a tenant hears in episodes."""
        told: dict[tuple[str, str], set[str]] = defaultdict(set)
        for chat in self.chats.values():
            for episode in self.episodes(chat.tenant, chat.session):
                words = set(TOKEN.findall(episode.summary))
                done = set(SEEN.findall(episode.deeds))
                of_deeds = {self.seen[word] for word in done}
                hear = {self.heard[word] for word in words} | {each[:2] for each in of_deeds}
                assert len(hear) == 1, (words, done)
                assert {session for *_, session in of_deeds} <= {chat.session}, done
                group = hearers_of(episode, self.memories[chat.tenant].sessions.owner)
                told[chat.tenant, group.name] |= words
        return told

    def check_files(self) -> None:
        """Look for what is not the owner's in the workspace, and for what nobody says any more."""
        for path in (self.folder / "workspace").rglob("*.md"):
            for word in TOKEN.findall(path.read_text("utf-8")):
                assert self.heard[word][0] == "local"
                assert self.heard[word][1][0] == "owner"
                assert self.sayers[word] - self.gone, word
        for note, words in self.guest_notes().items():
            assert len({self.heard[word] for word in words}) == 1, note
            for word in words:
                assert self.heard[word][1][0] in {"person", "account"}, word
                assert self.sayers[word] - self.gone, word

    def guest_notes(self) -> dict[str, set[str]]:
        """Return the words in the notes of guests, by file."""
        home = self.folder / "home"
        return {
            str(path.relative_to(home)): words
            for path in home.glob("notes/*/*.md")
            if (words := set(TOKEN.findall(path.read_text("utf-8"))))
        }

    def ask(self, chat: Said, asker: str | None, audience: Audience) -> None:
        """Ask on behalf of a conversation, as the one whom it answers."""
        memory = self.memories[chat.tenant]
        found = memory.search("apple", 1_000, 0.0, for_session=chat.session, for_sender=asker)
        said = [hit for hit in found.hits if hit.source == "sessions"]
        messages = {w for hit in said for w in TOKEN.findall(hit.snippet)}
        self.within(chat.tenant, messages, audience)
        self.ask_episodes(chat, asker, audience, found)
        self.ask_observations(chat, asker, audience, found)
        if self.is_whole:
            wanted = {w for w in self.shown() if self.heard[w] == (chat.tenant, audience)}
            assert messages == wanted, (audience, asker)
        files = [hit for hit in found.hits if hit.source == "memory"]
        is_owners = audience[0] == "owner"
        if not is_owners:
            assert all(TOKEN.search(hit.snippet) for hit in files), "a guest sees the owner's file"
        self.ask_notes(
            chat, asker, audience, {w for hit in files for w in TOKEN.findall(hit.snippet)}
        )
        view = memory.sessions.view(chat.session, for_sender=asker)
        shown = " ".join([view.summary or "", *(message.text for message in view.messages)])
        self.within(chat.tenant, set(TOKEN.findall(shown)), audience)
        if chat.tenant == "local" and not is_owners:
            with pytest.raises(Denied):
                memory.read("MEMORY.md", for_session=chat.session, for_sender=asker)

    def ask_episodes(
        self, chat: Said, asker: str | None, audience: Audience, found: SearchResult
    ) -> None:
        """Look at every episode on behalf of a conversation, also of sessions that are gone."""
        memory = self.memories[chat.tenant]
        asking: Any = {"for_session": chat.session, "for_sender": asker}
        recalled = memory.recall(None, "apple", 300, **asking)
        told = (
            *(hit.snippet for hit in found.hits if hit.source == "episodes"),
            said_by(memory.episodes.list(limit=1_000, **asking)),
            said_by(memory.episodes.search(None, "apple", 1_000, **asking)),
            said_by([each.episode for each in recalled.episodes]),
            recalled.formatted,
        )
        for each in told:
            self.within(chat.tenant, set(TOKEN.findall(each)), audience)

    def ask_observations(
        self, chat: Said, asker: str | None, audience: Audience, found: SearchResult
    ) -> None:
        """Look at every observation on behalf of a conversation; the search found some."""
        memory, is_owners = self.memories[chat.tenant], audience[0] == "owner"
        hears = partial(self.observed, chat.tenant, audience=audience)
        living = {word for word, (*_, session) in self.seen.items() if self.lives(session)}
        wanted = {w for w in living if self.seen[w][:2] == (chat.tenant, audience)}
        if not (is_owners or self.shared):
            wanted = set()
        titles = {word for word in wanted if word.startswith("zo")}
        asking: Any = {"for_session": chat.session, "for_sender": asker}
        searched = words_of(*(hit.snippet for hit in found.hits))
        hears(searched)
        assert titles <= searched
        assert is_owners or searched <= titles, "a guest reads the line of an error"
        self.ask_timeline(chat, asker, audience, titles)
        if self.lives(chat.session):
            self.ask_context(chat, asker, audience, titles)
        for tokens in (1_000, None):
            numbers = [f"#{n}" for n in range(1, len(self.seen) // 4 + 1)]
            batch = memory.observations.get(numbers, tokens, **asking)
            told = words_of(*map(said_by, batch.found))
            hears(told)
            assert told == (wanted if is_owners else titles)
        listed = memory.observations.list(limit=1_000, **asking)
        told = words_of(*map(said_by, listed))
        hears(told)
        assert told == (wanted if is_owners else titles)

    def ask_timeline(
        self, chat: Said, asker: str | None, audience: Audience, titles: set[str]
    ) -> None:
        """Look at everything by time, and around every observation and message."""
        observations = self.memories[chat.tenant].observations
        asking: Any = {"for_session": chat.session, "for_sender": asker, "before": 200}
        told = said_by(observations.timeline(1, after=200, **asking))
        self.within(chat.tenant, set(TOKEN.findall(told)), audience)
        assert words_of(told) == titles
        for (tenant, number), word in self.numbered.items():
            if tenant != chat.tenant:
                continue
            around = partial(observations.timeline, f"#{number}", after=200, **asking)
            if word not in titles:
                with pytest.raises(NotFound):
                    around()
                continue
            told = said_by(around())
            self.within(chat.tenant, set(TOKEN.findall(told)), audience)
            assert word in words_of(told) <= titles

    def ask_context(
        self, chat: Said, asker: str | None, audience: Audience, titles: set[str]
    ) -> None:
        """Look at the blocks that a prompt would be given, and at the record of them.

        A title may stand in them that the search tells nobody: what the record names was heard
        when it was injected, and is forgotten when its session is erased.
        """
        context = self.memories[chat.tenant].context
        for reason in ("startup", "resume", "prompt"):
            block = context(chat.session, "apple", None, reason, for_sender=asker)
            self.within(chat.tenant, set(TOKEN.findall(block.text)), audience)
            assert words_of(block.text) <= titles, reason
            self.injected(chat.tenant, block.items, audience)
            telling = titles & self.substance
            assert block.items or reason != "startup" or not telling, "an empty block"
        for session in (chat.session, None):
            for given in context.injections(
                session, 1_000, for_session=chat.session, for_sender=asker
            ):
                self.injected(chat.tenant, given.items, audience)

    def injected(self, tenant: str, items: Sequence[ContextItem], audience: Audience) -> None:
        """Require that what was injected was the audience's, and is not erased."""
        for item in items:
            if item.kind == "observation" and item.number is not None:
                *heard, session = self.seen[self.numbered[tenant, item.number]]
                assert heard == [tenant, audience]
                assert session in self.chats, "erased"

    def lives(self, session: str) -> bool:
        """Return whether a session is neither deleted nor erased."""
        return session not in self.hidden and session in self.chats

    def observed(self, tenant: str, words: set[str], audience: Audience | None) -> None:
        """Require that words of observations are of a tenant and audience, and still there."""
        for word in words:
            theirs, heard, session = self.seen[word]
            assert self.lives(session), word
            assert theirs == tenant, word
            assert audience in {None, heard}, (word, audience)

    def ask_notes(self, chat: Said, asker: str | None, audience: Audience, found: set[str]) -> None:
        """Read every note of guests on behalf of a conversation; the search found some words."""
        memory, hears = self.memories[chat.tenant], None if audience[0] == "owner" else audience
        self.noted(chat.tenant, found, hears)
        for path, words in self.guest_notes().items():
            tenant, whose = self.heard[min(words)]
            ask = partial(memory.read, path, for_session=chat.session, for_sender=asker)
            if tenant != chat.tenant or hears not in {None, whose}:
                with suppress(Denied):
                    assert ask().status == "not_found"
                continue
            read = set(TOKEN.findall(ask().text))
            self.noted(chat.tenant, read, hears)
            shown = {word for word in words if not self.sayers[word] & (self.hidden | self.gone)}
            assert shown <= read, path
            assert shown <= found, path

    def shown(self) -> set[str]:
        """Return the words that a living session shows: its own, and those that a fork shares."""
        living = (word for word, by in self.sayers.items() if by - self.hidden - self.gone)
        return set(living) - self.erased

    def noted(self, tenant: str, words: set[str], audience: Audience | None) -> None:
        """Require that words of notes are of a tenant and audience, and that a session says them.

        Erasing leaves a line that another session wrote into the notes, too.
        """
        for word in words:
            assert self.sayers[word] - self.hidden - self.gone, word
            assert self.heard[word][0] == tenant, word
            assert audience is None or self.heard[word][1] == audience, (word, audience)

    def within(self, tenant: str, words: set[str], audience: Audience | None) -> None:
        """Require that words are of a tenant and audience, and not erased."""
        for word in words:
            assert word not in self.erased, word
            assert self.heard[word][0] == tenant, word
            assert audience is None or self.heard[word][1] == audience, (word, audience)


def words_of(*texts: str) -> set[str]:
    """Return the words of observations in some texts."""
    return {word for text in texts for word in SEEN.findall(text)}


def said_by(value: object) -> str:
    """Return everything that a value says."""
    return msgspec.json.encode(value).decode()


@pytest.mark.parametrize("part", range(PARTS))
def test_no_surface_says_to_anybody_what_is_not_theirs(part: int, tmp_path: Path) -> None:
    """Search, read, view, history, export, episodes, events and notes, in random histories."""
    for number in range(part, HISTORIES, PARTS):
        seed, folder = SEED + number, tmp_path / str(number)
        play(folder, seed)


def play(folder: Path, seed: int) -> None:
    """Play a history; an error says how to play it again."""
    with ExitStack() as opened:
        history = History(folder, seed, opened)
        try:
            history.play()
        except BaseException as error:
            error.add_note(f"AUDIENCE_SEED={seed} AUDIENCE_HISTORIES=1: {history.log}")
            raise
    shutil.rmtree(folder)


INJECTIONS = Contexts.injections

MUTANTS: dict[str, tuple[object, str, object]] = {
    "list and get": (group_visibility.Audience, "hears_record", lambda *_: True),
    "walls between agents": (Walls, "side", lambda *_: None),
    "input and output": (rows, "without_payload", lambda of: of),
    "guests' search": (visibility, "OBSERVATIONS", "episodes"),
    "groups of documents": (
        observation_source,
        "group_of_turn",
        lambda _, owner: group_of_turn(ConversationTurn("main", *[None] * 6), owner),
    ),
    "deleted sessions": (rows, "_LIVING", ""),
    "lines of the context block": (
        candidates,
        "only_heard",
        lambda _tx, _audience, found: list(found),
    ),
    "timeline": (timeline, "Asker", lambda *_: OPERATOR),
    "record of what was injected": (
        Contexts,
        "injections",
        lambda self, session, limit, **_: INJECTIONS(self, session, limit),
    ),
}


@pytest.mark.parametrize("surface", MUTANTS)
def test_the_histories_notice_a_surface_that_tells(
    surface: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that never fails proves nothing: each of these changes is found out."""
    monkeypatch.setattr(*MUTANTS[surface])
    with pytest.raises(AssertionError):
        play_some(tmp_path, 20)


def play_some(folder: Path, histories: int) -> None:
    """Play the first histories."""
    for number in range(histories):
        play(folder / str(number), SEED + number)
