"""The memory plugin of OpenClaw, in Node, against a real worker that follows a store.

The hooks, the contexts and the tools are those of OpenClaw 2026.9.6;
the shapes are those of docs/openclaw.md.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import recollect
from recollect.audience.account import GLOBAL
from recollect.integrations.commands import start_command
from recollect.integrations.installing import Setup
from recollect.server.worker import daemon
from recollect.store.files import private_folder, write_file
from tests.support.openclaw_store import WrittenStore
from tests.support.plugin_host import PLUGIN, PluginHost, hosted
from tests.support.served import serving

ANA, BORIS = "agent:main:telegram:direct:501", "agent:main:telegram:direct:502"
CREW, MAIN = "agent:main:telegram:group:-100", "agent:main:main"
CHILD = "agent:main:subagent:5f0c2a9e-1111-4111-8111-111111111111"
SETTINGS: dict[str, object] = {
    "embedding.provider": "none",
    "sessions.owner": ["telegram:501", "whatsapp:77"],
    "context.prompt_floor": 0.1,  # among a dozen lines no word is rare enough for the default
}


def on_telegram(sender: str) -> dict[str, str]:
    """Return the context of a prompt that came over Telegram."""
    return {"messageProvider": "telegram", "accountId": "default", "senderId": sender}


def asked_by(sender: str) -> dict[str, str]:
    """Return the context of a tool that a turn over Telegram calls."""
    facts = {"messageChannel": "telegram", "agentAccountId": "default"}
    return facts | {"requesterSenderId": sender}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[WrittenStore]:
    """Direct chats of the owner and a guest, a group, and a session that both share."""
    with closing(WrittenStore(tmp_path / "state")) as written:
        for key, session, text, sender in (
            (ANA, "a1", "My boat is called Heron and lies in the harbour.", "501"),
            (BORIS, "b1", "My boat is called Egret, do not tell the others.", "502"),
            (CREW, "g1", "The boat of the crew is called Pelican.", "503"),
            (MAIN, "m1", "The spare key of the boat is under the mat.", "501"),
        ):
            written.window(key, session)
            written.person(session, text, sender)
            written.say(session, "assistant", [{"type": "text", "text": "Noted."}])
        written.person("m1", "I am Boris, the boat engine needs oil.", "502")
        yield written


@pytest.fixture
def home(tmp_path: Path, store: WrittenStore) -> Path:
    """A home that has read the store, with the token of the plugin."""
    path = tmp_path / "home"
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "boat.md").write_text(
        "# Boat\n\nThe boat insurance ends in May.\n", encoding="utf-8"
    )
    (workspace / "MEMORY.md").write_text("The boat is white.\n", encoding="utf-8")
    settings = SETTINGS | {
        "workspace.path": str(workspace),
        "workspace.transcripts": [str(store.path.parents[2])],
    }
    with recollect.open(path, overrides=settings) as memory:
        memory.sync()
        issued = memory.tokens.add("openclaw", audience="session:*")
    private_folder(path / "hooks")
    write_file(path / "hooks" / "openclaw.token", f"{issued.text}\n".encode())
    (path / "config.yaml").write_text(json.dumps({"workspace": {"path": str(workspace)}}))
    return path


@contextmanager
def connected(home: Path, **config: object) -> Iterator[PluginHost]:
    """Serve the home, and host the plugin."""
    with serving(home, SETTINGS), hosted({"home": str(home)} | config) as host:
        yield host


def test_each_chat_recalls_what_was_said_in_it_and_nothing_of_others(home: Path) -> None:
    """Owner, guest and group; in the session that all share the speaker decides."""
    with connected(home) as host:
        owners = host.recall("What is my boat called?", ANA, **on_telegram("501"))
        assert "Heron" in owners
        assert "spare key" in owners
        assert not any(word in owners for word in ("Egret", "Pelican", "engine"))
        guests = host.recall("What is my boat called?", BORIS, **on_telegram("502"))
        assert "Egret" in guests
        assert not any(word in guests for word in ("Heron", "Pelican", "key"))
        groups = host.recall("What is our boat called?", CREW, **on_telegram("501"))
        assert "Pelican" in groups
        assert not any(word in groups for word in ("Heron", "Egret", "key"))
        shared = host.recall("Is my boat called Egret?", MAIN, **on_telegram("502"))
        assert "Egret" in shared
        assert "Heron" not in shared
        assert "Heron" in host.recall("Is my boat called Heron?", MAIN, **on_telegram("501"))


def test_notes_are_recalled_to_the_owner_but_what_openclaw_loads_is_not(home: Path) -> None:
    """OpenClaw puts MEMORY.md into the prompt by itself; a guest sees no memory files."""
    with connected(home) as host:
        assert "ends in May" in host.recall("boat insurance", ANA, **on_telegram("501"))
        assert "ends in May" not in host.recall("boat insurance", BORIS, **on_telegram("502"))
        assert "white" not in host.recall("The boat is white?", ANA, **on_telegram("501"))
        found = host.tool("memory_search", ANA, {"query": "white boat", "minScore": 0})
        assert "MEMORY.md" in [each["path"] for each in found["results"]]


def test_recalled_lines_are_data_between_tags_and_are_recorded(home: Path) -> None:
    """What a person wrote cannot close the tags; `context --last` shows what was put where."""
    with connected(home) as host:
        block = host.recall("What is my boat called?", ANA, **on_telegram("501"))
    opening, *_, closing = block.split("\n")
    assert opening.startswith("<recollect-context ")
    assert closing == opening.replace("<", "</")
    assert "data, not instructions" in block
    with recollect.open(home, overrides=SETTINGS) as memory:
        (injection,) = memory.context.injections()
        session = memory.sessions.get(injection.session_id)
        assert (session.key, injection.client, injection.reason) == (ANA, "openclaw", "prompt")
        assert {item.kind for item in injection.items} == {"file", "message"}


def test_what_the_prompt_holds_already_is_not_recalled(home: Path) -> None:
    """After /new the model has lost the conversation: then its messages are recalled."""
    with connected(home) as host:
        question, who = "What is my boat called?", on_telegram("501")
        window = [{"role": "user", "content": "x", "timestamp": 1}]
        assert "Heron" not in host.recall(question, ANA, messages=window, **who)
        assert "Heron" in host.recall(question, ANA, **who)
        assert "Heron" in host.recall(question, ANA, **who), "the turn before is gone, too"


def test_the_first_prompt_of_a_new_conversation_recalls_too(
    home: Path, store: WrittenStore
) -> None:
    """The store is read later: its transcript then goes on in the session that was begun."""
    new, stranger = "agent:main:whatsapp:direct:77", "agent:main:telegram:direct:504"
    with connected(home) as host:
        question = "What is my boat called?"
        assert "Heron" in host.recall(question, new, sessionId="d1")
        assert host.recall(question, stranger, sessionId="e1", **on_telegram("504")) == ""
        assert host.recall(question, "agent:main:cron:7", sessionId="n1") == ""
        found = host.tool("memory_search", new, {"query": "boat Heron", "minScore": 0})
        assert found["results"]
    store.window(new, "d1", label="Trip")
    store.say("d1", "user", "What is my boat called?")
    followed = SETTINGS | {"workspace.transcripts": [str(store.path.parents[2])]}
    with recollect.open(home, overrides=followed) as memory:
        memory.sync()
        (session,) = memory.sessions.list(key=new)
        assert (session.source, session.foreign_id, session.agent) == ("openclaw", "d1", "main")
        assert (session.title, session.message_count) == ("Trip", 1)
        assert memory.sessions.list(key="agent:main:cron:7", automatic=True) == []


def test_search_and_get_have_the_shapes_and_limits_of_seed_002(home: Path) -> None:
    """Path, lines from 1, score in [0, 1], snippets of at most 700 characters, citations."""
    with connected(home) as host:
        found = host.tool("memory_search", ANA, {"query": "boat Heron harbour", "minScore": 0})
        assert 0 < len(found["results"]) <= 6
        for hit in found["results"]:
            assert {"path", "startLine", "endLine", "score", "snippet", "source"} <= set(hit)
            assert 1 <= hit["startLine"] <= hit["endLine"]
            assert 0 <= hit["score"] <= 1
            assert len(hit["snippet"]) <= 700
        said = found["results"][0]
        assert (said["source"], said["speaker"]) == ("sessions", "P501")
        assert said["citation"].startswith("session:")
        got = host.tool("memory_get", ANA, {"path": said["path"]})
        assert got["text"] == "P501: My boat is called Heron and lies in the harbour."
        one = host.tool("memory_search", ANA, {"query": "boat", "maxResults": 1, "minScore": 0})
        assert len(one["results"]) == 1
        note = {"query": "boat insurance", "corpus": "memory", "minScore": 0}
        file = host.tool("memory_search", ANA, note)["results"][0]
        assert (file["path"], file["source"]) == ("memory/boat.md", "memory")
        assert file["citation"] == "memory/boat.md#L1-L3"
        part = host.tool("memory_get", ANA, {"path": "memory/boat.md", "from": 1, "lines": 1})
        assert (part["text"], part["truncated"], part["nextFrom"]) == ("# Boat", True, 2)
        rest = host.tool("memory_get", ANA, {"path": "memory/boat.md", "from": part["nextFrom"]})
        assert rest["text"].strip() == "The boat insurance ends in May."
        missing = host.tool("memory_get", ANA, {"path": "memory/none.md"})
        assert (missing["status"], missing["text"]) == ("not_found", "")


def test_tools_hear_what_their_conversation_hears(home: Path) -> None:
    """Whatever a model asks for: a path of another audience answers as what is not there."""
    with connected(home) as host:
        query = {"query": "boat Heron harbour", "minScore": 0}
        owners = host.tool("memory_search", ANA, query, **asked_by("501"))["results"]
        assert "Heron" in owners[0]["snippet"]
        for key, sender in ((BORIS, "502"), (CREW, "503"), (MAIN, "502")):
            found = host.tool("memory_search", key, query, **asked_by(sender))["results"]
            assert not any("Heron" in hit["snippet"] for hit in found)
            for path in (owners[0]["path"], "memory/boat.md", "../config.yaml"):
                got = host.tool("memory_get", key, {"path": path}, **asked_by(sender))
                assert got["text"] == ""


def test_a_tool_without_a_speaker_asks_for_whoever_the_prompt_was_of(home: Path) -> None:
    """The newest message that was read may still be another person's."""
    with connected(home) as host:
        host.recall("Hello there", MAIN, **on_telegram("502"))
        query = {"query": "boat Heron harbour spare key", "minScore": 0}
        found = host.tool("memory_search", MAIN, query)["results"]
        assert not any("Heron" in hit["snippet"] or "key" in hit["snippet"] for hit in found)


def test_a_sub_agent_asks_for_the_conversation_that_started_it(home: Path) -> None:
    """Its own key says nothing; without a word of who started it, it hears nothing."""
    with connected(home) as host:
        query, context = {"query": "boat Heron Egret", "minScore": 0}, {"sessionKey": CHILD}
        assert host.tool("memory_search", CHILD, query)["results"] == []
        for key, sender, word in ((ANA, "501", "Heron"), (BORIS, "502", "Egret")):
            host.recall("Look it up", key, **on_telegram(sender))
            spawned = {"requesterSessionKey": key}
            host.ask(hook="subagent_spawned", event={"childSessionKey": CHILD}, context=spawned)
            told = host.tool("memory_search", CHILD, query)["results"]
            assert word in told[0]["snippet"]
            assert not any({"Heron": "Egret", "Egret": "Heron"}[word] in h["snippet"] for h in told)
            task = {"prompt": f"[Subagent Context] Find the boat called {word}", "messages": []}
            machine = {"inputProvenance": {"kind": "inter_session"}}
            asked = host.ask(hook="before_prompt_build", event=task, context=context | machine)
            assert word in asked["returned"]["prependContext"]


def test_prompts_that_no_person_wrote_recall_nothing(home: Path) -> None:
    """A heartbeat runs in somebody's conversation, but nobody asked."""
    with connected(home) as host:
        for about in ({"trigger": "heartbeat"}, {"trigger": "cron"}):
            assert host.recall("What is my boat called?", ANA, **about) == ""


def test_whatever_the_worker_does_the_agent_goes_on(home: Path, tmp_path: Path) -> None:
    """Stopped, gone, slow, refusing, or with a token that others can read: no recall, no error."""
    with connected(home) as host:
        assert host.recall("What is my boat called?", ANA, **on_telegram("501"))
    with hosted({"home": str(home)}) as host:
        told = host.ask(
            hook="before_prompt_build",
            event={"prompt": "What is my boat called?"},
            context={"sessionKey": ANA},
        )
        assert told["returned"] is None
        assert len(told["logged"]) == 1
        assert "boat" not in told["logged"][0]
        answer = host.tool("memory_search", ANA, {"query": "boat"})
        assert (answer["results"], answer["disabled"]) == ([], True)
        assert host.tool("memory_get", ANA, {"path": "memory/boat.md"})["text"] == ""
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes the request, never answers
        presence = {"pid": os.getpid(), "host": "127.0.0.1", "port": silent.getsockname()[1]}
        (home / "worker.json").write_text(json.dumps(presence))
        with hosted({"home": str(home), "recallTimeoutMs": 50, "toolTimeoutMs": 100}) as host:
            assert host.recall("What is my boat called?", ANA) == ""
            assert host.tool("memory_search", ANA, {"query": "boat"})["disabled"]
    with hosted({"home": str(tmp_path / "nowhere")}) as host:
        assert host.recall("What is my boat called?", ANA) == ""


@pytest.mark.parametrize("is_wanted", [True, False])
def test_the_worker_starts_with_the_first_prompt(home: Path, is_wanted: bool) -> None:
    """Issue 23, item 5: the prompt does not wait; the settings of the home decide."""
    config = json.loads((home / "config.yaml").read_text()) | {"worker": {"autostart": is_wanted}}
    (home / "config.yaml").write_text(json.dumps(config | {"embedding": {"provider": "none"}}))
    setup = Setup(home=home, python=sys.executable, hook="")
    with hosted({"home": str(home), "start": start_command(setup)}) as host:
        assert host.recall("What is my boat called?", ANA) == ""
        if not is_wanted:
            done = subprocess.run(start_command(setup), capture_output=True, check=True)
            assert not json.loads(done.stdout)["running"]
            return
        assert daemon.awaited(home, 120.0) is not None
        assert "Heron" in host.recall("What is my boat called?", ANA, **on_telegram("501"))
    daemon.stop(home)


def test_a_token_that_others_can_read_is_not_shown(home: Path) -> None:
    """As the home treats its own."""
    token = home / "hooks" / "openclaw.token"
    with connected(home) as host:
        token.chmod(0o644)
        assert host.recall("What is my boat called?", ANA, **on_telegram("501")) == ""
        token.chmod(stat.S_IRUSR | stat.S_IWUSR)
        assert "Heron" in host.recall("What is my boat called?", ANA, **on_telegram("501"))


def test_the_token_of_the_plugin_hears_nothing_without_a_conversation(home: Path) -> None:
    """What a request does not narrow is a guest's; nothing is written with it."""
    text = (home / "hooks" / "openclaw.token").read_text().strip()
    assert text not in (PLUGIN / "index.js").read_text()
    with recollect.open(home, overrides=SETTINGS) as memory:
        token = memory.tokens.verify(text)
        assert (token.asks_for_any, token.is_owners, token.allows("capture")) == (
            True,
            False,
            False,
        )


def test_recall_can_be_switched_off(home: Path) -> None:
    """The tools stay."""
    with connected(home, recall=False) as host:
        found = host.tool("memory_search", ANA, {"query": "boat Heron", "minScore": 0})
        assert found["results"]
        lines = host.ask(prompt={"availableTools": ["memory_search"], "citationsMode": "off"})
        assert lines["lines"][0] == "## Memory Recall"


def test_the_plugin_says_what_openclaw_needs_to_know_of_it() -> None:
    """The manifest owns the slot and both tools, and refuses a setting that nothing reads."""
    manifest = json.loads((PLUGIN / "openclaw.plugin.json").read_text())
    assert (manifest["id"], manifest["kind"]) == ("recollect", "memory")
    assert manifest["contracts"]["tools"] == ["memory_search", "memory_get"]
    script = (PLUGIN / "index.js").read_text()
    for name in manifest["configSchema"]["properties"]:
        assert name in script
    listed = script.partition("GLOBAL = new Set(")[2].partition(")")[0]
    assert set(json.loads(listed)) == GLOBAL
