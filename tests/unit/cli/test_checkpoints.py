"""`recollect checkpoint` and `recollect rewind`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import typer

import recollect
from recollect.core.clock import SystemClock
from recollect.core.settings import StoreSettings
from recollect.store.sqlite.database import open_records
from tests.unit.checkpoints.conftest import Deaths, Killed
from tests.unit.cli.conftest import Run

KEY = "sk-ant-api03-" + "Zk3" * 30


@pytest.fixture
def project(run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a session, in which a tool changed, made and deleted a file after `c1`."""
    root = tmp_path / "shop"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")
    (root / "cart.py").write_text(f"one\ntwo\nKEY = '{KEY}'\n")
    (root / "old.txt").write_text("kept\n")
    run("--home", home, "init")
    assert run("--home", home, "sessions", "start", "--project", root).code == 0
    taken = run("--home", home, "checkpoint", "take", "--label", "before", "--json")
    assert (taken.code, taken.json["id"], taken.json["files"]) == (0, "c1", 2)
    with recollect.open(home, live=False) as memory:
        session = memory.sessions.latest()
        assert session is not None
        memory.sessions.append(session.id, "user", "Change the cart.")
        with memory.checkpoints.around(session.id, root, tool_name="Bash"):
            (root / "cart.py").write_text("one\nTWO\n")
            (root / "new.txt").write_text("made\n")
            (root / "old.txt").unlink()
    return root


def _files(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in root.iterdir()}


def test_what_a_tool_did_is_put_back_and_done_again(run: Run, home: Path, project: Path) -> None:
    """The plan says it first; the way back and forth are commands that it names."""
    changed = _files(project)
    plan = run("--home", home, "rewind", "c1", "--plan")
    assert (plan.code, _files(project)) == (0, changed)
    assert "1 to delete" in plan.out
    assert "2 to restore" in plan.out
    assert "    -TWO" in plan.out
    done = run("--home", home, "rewind", "c1", "--yes", "--json").json
    assert done["status"] == "done"
    assert done["counts"] == {"restore": 2, "delete": 1}
    assert set(_files(project)) == {"cart.py", "old.txt"}
    assert run("--home", home, "rewind", "--undo", done["rewind_id"]).code == 0
    assert _files(project) == changed
    assert run("--home", home, "rewind", "--redo", done["rewind_id"]).code == 0
    assert set(_files(project)) == {"cart.py", "old.txt"}
    rewinds = run("--home", home, "rewind", "--list", "--json").json["rewinds"]
    assert [each["type"] for each in rewinds] == ["rewind", "undo", "redo"]
    assert rewinds[0]["target"] == "c1"


def test_the_conversation_goes_back_with_the_files_or_alone(
    run: Run, home: Path, project: Path
) -> None:
    """A message and what follows it; undo returns both, or the files alone."""
    changed = _files(project)

    def said() -> list[str]:
        with recollect.open(home, live=False) as memory:
            session = memory.sessions.latest()
            assert session is not None
            return [each.text for each in memory.sessions.messages(session.id)]

    plan = run("--home", home, "rewind", "m1", "--scope", "both", "--plan")
    assert "messages 1 to 1 leave" in plan.out
    refused = run("--home", home, "rewind", "m1", "--scope", "both", "--json")
    assert (refused.code, said(), _files(project)) == (1, ["Change the cart."], changed)
    done = run("--home", home, "rewind", "m1", "--scope", "both", "--yes", "--json").json
    assert (done["first_seq"], done["last_seq"], said()) == (1, 1, [])
    assert set(_files(project)) == {"cart.py", "old.txt"}
    assert run("--home", home, "rewind", "--undo", done["rewind_id"]).code == 0
    assert (said(), _files(project)) == (["Change the cart."], changed)
    alone = run("--home", home, "rewind", "m1", "--scope", "conversation", "--plan", "--json").json
    assert (alone["status"], alone["first_seq"], alone["last_seq"]) == ("planned", 1, 1)
    alone = run("--home", home, "rewind", "m1", "--scope", "conversation", "--yes", "--json").json
    assert (alone["status"], said(), _files(project)) == ("done", [], changed)
    undone = run("--home", home, "rewind", "--undo", alone["rewind_id"])
    assert (undone.code, said()) == (0, ["Change the cart."])


def test_a_plan_and_its_result_are_one_form(run: Run, home: Path, project: Path) -> None:
    """The same fields, the same plan id, the same items, of which only the outcome is another."""
    plan = run("--home", home, "rewind", "c1", "--plan", "--json").json
    done = run("--home", home, "rewind", "c1", "--yes", "--json").json
    assert plan.keys() == done.keys()
    assert plan["plan_id"] == done["plan_id"]
    strip = {"outcome": None}
    assert [each | strip for each in plan["items"]] == [each | strip for each in done["items"]]
    assert {each["outcome"] for each in done["items"]} == {"done"}


@pytest.mark.parametrize("target", ["m1", "1", "call"])
def test_a_target_is_a_checkpoint_a_message_or_a_call(
    run: Run, home: Path, project: Path, target: str
) -> None:
    """A message of the user means what was there before it was answered."""
    with recollect.open(home, live=False) as memory:
        session = memory.sessions.latest()
        assert session is not None
        message = memory.sessions.messages(session.id)[0]
        assert memory.checkpoints.target(message.id).number == 2
    records = open_records(home, StoreSettings(), SystemClock())
    records.write(
        lambda tx: tx.execute("UPDATE checkpoints SET tool_use_id = 'call' WHERE number = 2")
    )
    records.close()
    plan = run("--home", home, "rewind", target, "--plan", "--json").json
    assert plan["target"] == {"m1": "c2", "1": "c1", "call": "c2"}[target]
    assert run("--home", home, "rewind", "toolu_none", "--plan").code == 1


def test_what_somebody_else_changed_stops_it(run: Run, home: Path, project: Path) -> None:
    """Nothing is changed, and the choices are named; each of them is one option."""
    with (project / "new.txt").open("a") as file:
        file.write("mine\n")
    before = _files(project)
    stopped = run("--home", home, "rewind", "c1", "--yes")
    assert (stopped.code, _files(project)) == (1, before)
    assert "conflict" in stopped.out
    assert "recollect rewind c1 --keep" in stopped.err
    kept = run("--home", home, "rewind", "c1", "--keep", "--json").json
    assert kept["counts"] == {"restore": 2, "conflict": 1}
    assert kept["conflicts"] == ["new.txt"]
    assert _files(project)["new.txt"] == "made\nmine\n"
    refused = run("--home", home, "rewind", "c1", "--force", "--json")
    assert "--yes" in refused.error["hint"]
    assert run("--home", home, "rewind", "c1", "--force", "--yes").code == 0
    assert "new.txt" not in _files(project)


def test_only_what_loses_nothing_is_done_unasked(run: Run, home: Path, project: Path) -> None:
    """A file that would be deleted needs a yes; one that only comes back does not."""
    refused = run("--home", home, "rewind", "c1")
    assert (refused.code, "1 of them deleted" in refused.err) == (1, True)
    assert run("--home", home, "rewind", "c1", "--paths", "old.txt").code == 0
    assert set(_files(project)) == {"cart.py", "new.txt", "old.txt"}


def test_somebody_at_a_terminal_is_asked(
    run: Run, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan is shown first; a no leaves everything as it is."""
    answers = iter([False, True])
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(typer, "confirm", lambda *_, **__: next(answers))
    declined = run("--home", home, "rewind", "c1")
    assert (declined.code, "nothing was changed" in declined.err) == (1, True)
    assert "    +two" in declined.out
    assert run("--home", home, "rewind", "c1").code == 0
    assert set(_files(project)) == {"cart.py", "old.txt"}


def test_secrets_are_replaced_in_diffs_and_come_back_in_files(
    run: Run, home: Path, project: Path
) -> None:
    """A file gets its own bytes, a screen and a document do not."""
    for option in ((), ("--json",)):
        plan = run("--home", home, "rewind", "c1", "--plan", *option)
        assert KEY not in plan.out
        assert "KEY = " in plan.out
    assert run("--home", home, "rewind", "c1", "--yes").code == 0
    assert KEY in _files(project)["cart.py"]


def test_roots_are_written_into_the_settings(run: Run, home: Path, project: Path) -> None:
    """Once each; taken out again also where the folder is gone."""
    for _ in range(2):
        added = run("--home", home, "checkpoint", "roots", "--add", ".", "--json").json
        assert added == {"roots": [str(project)], "enabled": False}
    value = run("--home", home, "config", "get", "checkpoints.roots", "--json").json["value"]
    assert value == [str(project)]
    assert run("--home", home, "checkpoint", "roots", "--add", "nowhere").code == 1
    gone = run("--home", home, "checkpoint", "roots", "--remove", ".", "--json").json
    assert gone["roots"] == []
    assert run("--home", home, "checkpoint", "roots", "--remove", ".").code == 2


def test_a_status_says_what_is_kept(run: Run, home: Path, project: Path) -> None:
    """And that it is for no folder yet."""
    assert "checkpoints" in run("--home", home, "status").out
    run("--home", home, "config", "set", "checkpoints.enabled", "true")
    state = run("--home", home, "status", "--json").json["checkpoints"]
    assert (state["enabled"], state["roots"], state["checkpoints"]) == (True, [], 2)
    assert state["stored_bytes"] > 0
    assert state["interrupted"] == 0
    assert "roots --add DIR" in run("--home", home, "status").err


def test_nothing_is_opened_for_a_status_without_checkpoints(run: Run, home: Path) -> None:
    """The folder is made with the first checkpoint."""
    run("--home", home, "init")
    assert run("--home", home, "status", "--json").json["checkpoints"]["checkpoints"] == 0
    assert not (home / "checkpoints").exists()


@pytest.mark.parametrize(
    "words", [(), ("c1", "--list"), ("c1", "--keep", "--force"), ("--undo", "a", "--redo", "a")]
)
def test_one_thing_at_a_time(run: Run, home: Path, project: Path, words: tuple[str, ...]) -> None:
    """Two are wrong usage."""
    assert run("--home", home, "rewind", *words).code == 2


def test_a_folder_without_a_session_is_an_error(
    run: Run, home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No session of another folder takes its checkpoints; what the hint names begins one."""
    monkeypatch.chdir(tmp_path)
    done = run("--home", home, "checkpoint", "list")
    assert (done.code, "this folder has no session" in done.err) == (1, True)
    words = re.findall(r"`recollect (sessions start [^`]*)`", done.err)[0].split()
    assert run("--home", home, *words).code == 0
    assert run("--home", home, "checkpoint", "list").code == 0


def test_the_home_itself_is_never_opened(run: Run, home: Path, project: Path) -> None:
    """Where it is below a root, its files are only listed."""
    taken = run("--home", home, "checkpoint", "take", "--root", home.parent, "--json").json
    inside = sum(1 for path in home.rglob("*"))
    assert taken["uncaptured"] >= inside - 3
    assert run("--home", home, "doctor").code == 0


def test_an_interrupted_rewind_is_ended_from_the_command_line(
    run: Run, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash in the middle, and a path that somebody changed since: they say what holds."""
    deaths = Deaths(monkeypatch)
    with recollect.open(home, live=False) as memory:
        deaths.left = 5
        with pytest.raises(Killed):
            memory.checkpoints.rewind("c1")
        deaths.left = 0
        changed = [
            path for path in project.iterdir() if path.read_text() in {"one\ntwo\n", "old\n"}
        ]
        for path in changed or project.iterdir():
            path.write_text("mine\n")
        (ended,) = memory.checkpoints.recover_all()
    assert ended.status == "interrupted"
    assert run("--home", home, "status", "--json").json["checkpoints"]["interrupted"] == 1
    unclear = run("--home", home, "rewind", "--resolve", ended.id)
    assert (unclear.code, "--keep" in unclear.err) == (2, True)
    kept = run("--home", home, "rewind", "--resolve", ended.id, "--keep", "--json")
    assert (kept.code, kept.json["status"]) == (0, "rolled_back")
    assert run("--home", home, "status", "--json").json["checkpoints"]["interrupted"] == 0
    assert "mine\n" in _files(project).values()
