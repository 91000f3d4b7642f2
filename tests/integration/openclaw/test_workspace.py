"""An OpenClaw workspace as it is on the disk, read with the settings that the page gives."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory

PAGE = Path(__file__).resolve().parents[3] / "docs" / "openclaw.md"
YAML = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
CONFIGURATIONS = YAML.findall(PAGE.read_text(encoding="utf-8"))
POINTED, LIKE_2026_2_9, LIKE_2026_9_6 = CONFIGURATIONS[:3]

NOTES = {
    "MEMORY.md": "- Ana drinks green tea <!-- importance: 8 -->\n- The router is a Kestrel 4\n",
    "USER.md": "- Call me Ana\n",
    "AGENTS.md": "Read SOUL.md first. The password of the zebra is stripes.\n",
    "memory/2026-02-10.md": "# Tuesday\n\nWe moved the backup to Thursday night.\n",
}


def _line(role: str, content: object) -> str:
    message = {"role": role, "content": content}
    entry = {"type": "message", "id": f"{role}-{hash(str(content))}", "message": message}
    return json.dumps(entry | {"timestamp": "2026-02-11T09:00:00Z"}) + "\n"


def _transcript(session: str, *said: tuple[str, object]) -> str:
    header = {"type": "session", "version": 3, "id": session, "timestamp": "2026-02-11T09:00:00Z"}
    return json.dumps(header) + "\n" + "".join(_line(role, content) for role, content in said)


@pytest.fixture
def openclaw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder `~/.openclaw` of somebody who talked with it, and let it run at night."""
    monkeypatch.setenv("HOME", str(tmp_path / "ana"))
    folder = tmp_path / "ana" / ".openclaw"
    for path, text in NOTES.items():
        (folder / "workspace" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "workspace" / path).write_text(text, encoding="utf-8")
    sessions = folder / "agents/main/sessions"
    sessions.mkdir(parents=True)
    talk = _transcript(
        "talk",
        ("user", "Where do we keep the lantern?"),
        ("assistant", [{"type": "text", "text": "The lantern hangs in the shed."}]),
        ("user", "The key is sk-" + "abcdefghijklmnopqrstuvwxyz123456"),
    )
    (sessions / "talk.jsonl").write_text(talk, encoding="utf-8")
    night = _transcript("night", ("user", "Sweep the shed."), ("assistant", "Swept the shed."))
    (sessions / "night.jsonl").write_text(night, encoding="utf-8")
    companion = {
        "agent:main:main": {"sessionId": "talk"},
        "agent:main:cron:sweep": {"sessionId": "night"},
    }
    (sessions / "sessions.json").write_text(json.dumps(companion), encoding="utf-8")
    return folder


def _open(tmp_path: Path, *configurations: str) -> Memory:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    sections = "".join(configurations)
    (home / "config.yaml").write_text(sections, encoding="utf-8")
    return recollect.open(home, overrides={"embedding.provider": "none"}, live=False)


def _all_bytes(folder: Path) -> Mapping[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_workspace_is_taken_as_it_is(tmp_path: Path, openclaw: Path) -> None:
    """Files and conversations are found, nothing is written there, nothing else is read."""
    before = _all_bytes(openclaw)
    with _open(tmp_path, POINTED) as memory:
        memory.sync()
        status = memory.status()
        lantern = memory.search("who keeps the lantern?").hits
        backup = memory.search("when is the backup?").hits[0]
        assert memory.search("password of the zebra").hits == []
        assert memory.search("swept").hits == []
        assert memory.read("memory/2026-02-10.md", from_line=3).text.startswith("We moved")
        session = memory.sessions.get(lantern[0].session_id or "")
    assert (status.files, status.sources) == (3, ["facts", "memory", "sessions"])
    assert (backup.path, backup.citation) == ("memory/2026-02-10.md", "memory/2026-02-10.md#L1-L3")
    assert {hit.source for hit in lantern} == {"sessions"}
    assert session.key == "agent:main:main"
    assert _all_bytes(openclaw) == before


@pytest.mark.usefixtures("openclaw")
def test_the_same_again_brings_nothing(tmp_path: Path) -> None:
    """No message and no file twice; a secret in a transcript is not kept."""
    with _open(tmp_path, POINTED) as memory:
        memory.sync()
        first = memory.status()
        memory.sync()
        assert memory.status().messages == first.messages == 3
        assert memory.status().chunks == first.chunks
        said = [message.text for message in memory.sessions.messages(_only(memory))]
    assert said[2].startswith("The key is [redacted:")


def _only(memory: Memory) -> str:
    (session,) = memory.sessions.list()
    return session.id


@pytest.mark.usefixtures("openclaw")
@pytest.mark.parametrize("configuration", [LIKE_2026_2_9, LIKE_2026_9_6])
def test_the_behaviour_of_openclaw_can_be_had(tmp_path: Path, configuration: str) -> None:
    """The blocks of the page are settings that exist, and an exact word survives the threshold."""
    with _open(tmp_path, POINTED, configuration) as memory:
        memory.sync()
        assert memory.settings.search.hybrid.enabled
        assert memory.settings.search.min_score == 0.35
        hits = memory.search("Kestrel").hits
        assert hits[0].path == "MEMORY.md"
        assert set(hits[0].why) <= {"context", "vector", "importance"}
        assert all("Kestrel" in hit.snippet or hit.score >= 0.35 for hit in hits)
