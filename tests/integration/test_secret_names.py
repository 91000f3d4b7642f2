"""A secret in the name of a folder or file is marked wherever the name goes.

Stored, indexed, mirrored, exported, logged or answered: the names that every public surface takes
hold one, and no file of the home and no answer does.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest

import recollect
from recollect.cli.main import main
from recollect.core.errors import Conflict, InvalidInput, RecollectError
from recollect.core.scope import Scope
from recollect.hook.keeping import keep
from recollect.memory import Memory
from recollect.server.logs import PlainFormatter
from tests.support.leftovers import files_that_hold
from tests.support.running_server import RunningServer
from tests.unit.text.redaction.secrets_made_up import ALNUM, run

KEY, VALUE = "ghp_" + run(ALNUM, 36), run(ALNUM, 20)
NAMES = (KEY, f"token={VALUE}", f"notes {KEY} of ann")
SESSION = "1111111{}-2222-4333-8444-555555555555"
OPTIONS: dict[str, object] = {"embedding.provider": "none"}


class Plant:
    """A workspace, projects and transcripts with secrets in their names, and what was answered."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home, self.workspace, self.claude = root / "home", root / "work", root / "claude"
        self.answers: list[str] = []
        self.projects = [root / "projects" / name / "app" for name in NAMES]
        extra = [root / "extra" / name for name in NAMES]
        self.notes = [self.workspace / "memory" / f"{name}.md" for name in NAMES]
        for place in (*self.projects, *extra, self.workspace / "memory"):
            place.mkdir(parents=True)
        for number, note in enumerate([*self.notes, *(each / "more.md" for each in extra)]):
            note.write_text(f"# Kettle {number}\n\nThe kettle number{number} is blue.\n", "utf-8")
        (self.workspace / "memory" / f"bad {KEY}.md").symlink_to("/nowhere")
        (self.workspace / "memory" / f"binary {KEY}.md").write_bytes(b"a\0b")
        for number, project in enumerate(self.projects):
            self._transcript(number, project)
        settings = {
            "workspace": {
                "path": str(self.workspace),
                "extra_paths": [*map(str, extra), f"/nowhere/{KEY}"],
                "transcripts": [str(self.claude), f"/nowhere/token={VALUE}"],
            },
            "embedding": {"provider": "none"},
        }
        self.home.mkdir(mode=0o700)
        # What the user wrote is the user's, and in the home: it is not among the files looked at.
        self.settings = root / "home" / "config.yaml"
        self.settings.write_text(json.dumps(settings), "utf-8")

    def _transcript(self, number: int, project: Path) -> None:
        folder = self.claude / "projects" / str(project).replace("/", "-")
        folder.mkdir(parents=True)
        line = {
            "type": "user",
            "uuid": f"a000000{number}-0000-4000-8000-000000000001",
            "sessionId": SESSION.format(number),
            "cwd": str(project),
            "timestamp": "2026-11-01T10:00:00Z",
            "message": {"role": "user", "content": f"look into {project}/lid.py"},
        }
        path = folder / f"{SESSION.format(number)}.jsonl"
        path.write_text(f"{json.dumps(line)}\n{{torn\n", "utf-8")
        (folder / f"{KEY}.jsonl").write_text("no transcript\n", "utf-8")

    def ask(self, question: Callable[[], object]) -> None:
        """Keep what is answered, or why not."""
        try:
            answer = question()
        except RecollectError as error:
            answer = (str(error), error.hint, error.facts)
        self.answers.append(f"{answer!r} {_json(answer)}")

    def clear(self) -> list[str]:
        """Return the answers and files that hold a secret."""
        files = [f for word in (KEY, VALUE) for f in files_that_hold(self.home, word)]
        told = [
            a[max(0, a.index(word) - 200) : a.index(word) + 100]
            for a in self.answers
            for word in (KEY, VALUE)
            if word in a
        ]
        return [*(each for each in files if each != "config.yaml"), *told]


def _json(answer: object) -> str:
    with suppress(TypeError, ValueError):
        return msgspec.json.encode(answer, enc_hook=str).decode()
    return ""


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Everything planted, nothing asked."""
    return Plant(tmp_path)


def test_no_name_that_the_library_is_given_keeps_its_secret(plant: Plant) -> None:
    """Projects, titles, tool calls, observations, holders, memory files, transcripts, exports."""
    with recollect.open(plant.home, live=False) as memory:
        for project in plant.projects:
            _use(plant, memory, project)
        plant.ask(memory.sync)
        for number in range(2 * len(NAMES)):
            (hit, *_) = memory.search(f"kettle number{number}", sources=["memory"]).hits
            plant.ask(partial(list, [hit]))
            assert hit.path is not None
            assert f"number{number}" in memory.read(hit.path).text
        for note in plant.notes:
            real = str(note.relative_to(plant.workspace))
            assert "blue" in memory.read(real).text
            plant.ask(partial(memory.read, real))
            plant.ask(partial(memory.read, str(note)))
        plant.ask(lambda: memory.read(f"memory/no-{KEY}.md"))
        plant.ask(lambda: memory.read(f"other/{KEY}.md"))
        for path in (plant.claude, plant.root / KEY):
            plant.ask(partial(memory.import_transcripts, path))
        assert {each.source for each in memory.sessions.list()} == {None, "claude-code"}
        unchanged = memory.import_transcripts(plant.claude).unchanged
        assert unchanged >= len(NAMES)
        for question in (
            memory.sessions.list,
            memory.projects.list,
            memory.observations.list,
            memory.status,
            memory.sync,
            lambda: list(memory.events.since(0)),
            lambda: memory.scrub(dry_run=True),
            lambda: memory.observations.timeline(query="lid"),
            lambda: memory.search("lid"),
            lambda: memory.export().save(plant.root / "all.jsonl"),
        ):
            plant.ask(question)
        memory.backup(plant.projects[0] / "home.tar.gz")  # it answers what it was asked for
        plant.answers.append((plant.root / "all.jsonl").read_text("utf-8"))
        chosen = memory.sessions.list()[0]
        plant.ask(lambda: memory.erase(session_id=chosen.id, dry_run=True))
    assert plant.clear() == []


def _use(plant: Plant, memory: Memory, project: Path) -> None:
    """Work in a project, and be answered."""
    name, sessions = str(project), memory.sessions
    session = sessions.create(project=name, title=f"in {name}", metadata={"cwd": name})
    again = sessions.create(project=name)
    assert session.project == again.project
    call = {"type": "tool_use", "id": f"c{name}", "name": "Read", "input": {"file_path": name}}
    result = {"type": "tool_result", "tool_use_id": f"c{name}", "content": f"{name}/lid.py: 3"}
    sessions.append_many(session.id, [("assistant", [call]), ("tool", [result])])
    record, lid = memory.observations.record, f"{name}/lid.py"
    record(session.id, tool_name="Edit", input={"file_path": lid}, files=[lid], project=name)
    record(session.id, tool_name="Bash", input={"command": f"cd {name}"}, error=f"no {lid}")
    for question in (
        lambda: memory.projects.get(name),
        lambda: memory.projects.known(name),
        lambda: memory.projects.alias(f"{name}/part", name),
        lambda: memory.projects.find(f"{name}/none"),
        lambda: memory.projects.get(f"{name}/none"),
        lambda: memory.capture.verdict(name).reason(),
        lambda: memory.context(session.id, query="lid"),
        lambda: memory.sections.sync(project / "CLAUDE.md"),
    ):
        plant.ask(question)
    # The same folder is the same project, whoever asks.
    for found in (sessions.list(project=name), memory.within(Scope(project=name)).sessions.list()):
        assert {session.id, again.id} <= {each.id for each in found}
    holder = f"python {name}/run.py"
    with sessions.hold(again.id, holder=holder), sessions.hold(again.id, holder=holder):
        plant.ask(lambda: sessions.lease(again.id))
        with pytest.raises(Conflict) as refused:
            sessions.hold(again.id, holder="another")
        plant.ask(lambda: (str(refused.value), refused.value.facts))


def test_no_name_that_a_hook_or_a_request_tells_keeps_its_secret(
    plant: Plant, caplog: pytest.LogCaptureFixture
) -> None:
    """In the spool, over HTTP, in the log of the server."""
    for number, project in enumerate(plant.projects):
        keep(plant.home, "claude-code", "PostToolUse", number, _event(number, project))
    assert plant.clear() == []
    caplog.handler.setFormatter(PlainFormatter())
    with caplog.at_level(logging.DEBUG), RunningServer(plant.home) as server:

        def call(method: str, target: str, body: object = None) -> None:
            data = b"" if body is None else json.dumps(body).encode()
            plant.answers.append(server.call(method, target, data).body.decode())

        for number, project in enumerate(plant.projects):
            name, asked = str(project), quote(str(project), safe="")
            payload = json.loads(_event(number, project))
            report = {"event": "PostToolUse", "payload": payload}
            call("POST", "/api/hooks/claude-code", report)
            call("POST", "/api/sessions", {"key": f"s{number}", "project": name, "title": name})
            call("POST", "/api/sync", {})
            given = {"tool_name": "Read", "input": {"file_path": name}, "files": [name]}
            call("POST", "/api/observations", {"session_id": f"s{number}"} | given)
            call("POST", "/api/search", {"query": "kettle", "project": name})
            call("POST", "/api/memory/read", {"path": f"memory/{NAMES[number]}.md"})
            call("POST", "/api/memory/read", {"path": f"memory/no {KEY}.md"})
            for target in ("sessions?project=", "context?project=", "capture/check?path="):
                call("GET", f"/api/{target}{asked}")
        for target in ("projects", "sessions", "stats", "files", "export", "capture"):
            call("GET", f"/api/{target}")
        call("POST", "/api/search", {"query": "kettle blue"})
    plant.answers.append(caplog.text)
    assert plant.clear() == []


def _event(number: int, project: Path) -> bytes:
    told = {
        "hook_event_name": "PostToolUse",
        "session_id": SESSION.format(number),
        "transcript_path": f"{project}/{SESSION.format(number)}.jsonl",
        "cwd": str(project),
        "tool_name": "Read",
        "tool_use_id": f"toolu_{number}",
        "tool_input": {"file_path": f"{project}/lid.py"},
        "tool_response": {"stdout": f"{project}/lid.py"},
    }
    return json.dumps(told).encode()


def test_no_name_that_a_command_shows_keeps_its_secret(
    plant: Plant, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the commands print, for people and as JSON."""
    monkeypatch.setenv("HOME", str(plant.root))
    monkeypatch.setenv("COLUMNS", "400")
    with recollect.open(plant.home, live=False) as memory:
        _use(plant, memory, plant.projects[0])
    for command in (
        ["sync"],
        ["status"],
        ["doctor"],
        ["import", plant.claude],
        ["sessions"],
        ["projects"],
        ["search", "kettle", "blue"],
        ["search", "lid", "--project", plant.projects[0]],
        ["get", f"memory/{NAMES[0]}.md"],
        ["observe", "--list"],
        ["events"],
        ["scrub", "--dry-run"],
    ):
        for form in ([], ["--json"]):
            main(["--home", str(plant.home), *map(str, command), *form])
            plant.answers.append("".join(capfd.readouterr()))
    assert plant.clear() == []


def test_a_workspace_in_a_folder_with_a_secret_is_refused(tmp_path: Path) -> None:
    """Index and notes name the folder, and an erasure finds the notes by that."""
    workspace = tmp_path / KEY
    workspace.mkdir()
    with pytest.raises(InvalidInput, match="holds a secret") as refused:
        recollect.open(tmp_path / "home", workspace=workspace, overrides=OPTIONS)
    assert KEY not in str(refused.value) + repr(refused.value.facts)
    with recollect.open(
        tmp_path / "home", workspace=workspace, overrides=OPTIONS | {"privacy.redact": False}
    ):
        pass


def test_scrubbing_marks_the_names_of_older_homes(tmp_path: Path) -> None:
    """Holders of leases are stored text, too."""
    off, project = OPTIONS | {"privacy.redact": False}, f"/home/ann/{KEY}/app"
    with recollect.open(tmp_path / "home", overrides=off, live=False) as memory:
        session = memory.sessions.create(project=project)
        with memory.sessions.hold(session.id, holder=f"python {project}"):
            pass
    with recollect.open(tmp_path / "home", overrides=OPTIONS, live=False) as memory:
        assert memory.scrub().is_clean
        assert len(memory.sessions.list(project=project)) == 1
    assert files_that_hold(tmp_path / "home", KEY) == []
