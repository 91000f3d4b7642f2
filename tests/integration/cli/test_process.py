"""What only a real process shows: signals, pipes, streams, and what is loaded."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import recollect
from tests.integration.cli.conftest import COMMAND, Run, message, texts_of

FIRST_BATCH = 200_000
"""Bytes of the write-ahead log that only messages can have filled."""


def test_json_is_one_document_and_nothing_else(run: Run, home: Path, chat: Path) -> None:
    """On stdout; stderr stays empty. Before the command or behind it."""
    run("--home", home, "init")
    for command in (
        ("import", "jsonl", chat),
        ("sync",),
        ("search", "tea"),
        ("sessions",),
        ("status",),
        ("doctor",),
        ("config",),
        ("models",),
        ("reindex",),
    ):
        for arguments in ((*command, "--json"), ("--json", *command)):
            place = ("--home", home)
            done = run(*place, *arguments)
            assert (done.code, done.err) == (0, ""), (arguments, done)
            assert isinstance(json.loads(done.out), dict | list)


def test_a_reader_that_has_enough_is_no_error(
    surroundings: dict[str, str], run: Run, home: Path, tmp_path: Path
) -> None:
    """`recollect transcript … | head`: quiet, whoever prints."""
    path = tmp_path / "long.jsonl"
    path.write_text("".join(message(f"line {n} " * 50) for n in range(2_000)), encoding="utf-8")
    run("--home", home, "import", "jsonl", path)
    for options in ((), ("--json",)):
        process = subprocess.Popen(
            [*COMMAND, "--home", str(home), "transcript", "long", *options],
            env=surroundings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        told = process.stderr.read()
        process.stderr.close()
        assert process.wait() == 0
        assert b"rror" not in told


@pytest.mark.parametrize("streams", [("stdout",), ("stderr",), ("stdout", "stderr")])
@pytest.mark.parametrize(
    "line",
    [
        "0 --version",
        "0 search tea",
        "0 search tea --json",
        "0 export long",
        "0 import jsonl {more}",
        "2 no-such-command",
        "1 get m999 --json",
    ],
)
def test_a_pipe_that_is_closed_early_changes_no_exit_code(
    surroundings: dict[str, str], written: Path, line: str, streams: tuple[str, ...]
) -> None:
    """`… | true`, `… 2>&1 | head -1`: quiet, and what was to be done is done."""
    code, *words = line.format(more=written.parent / "more.jsonl").split()
    for read, buffering in ((0, "1"), (1, "")):
        got, given = os.pipe()
        if not read:
            os.close(got)
        process = subprocess.Popen(
            [*COMMAND, "--home", str(written), *words],
            env=surroundings | {"PYTHONUNBUFFERED": buffering},
            stdout=given if "stdout" in streams else subprocess.DEVNULL,
            stderr=given if "stderr" in streams else subprocess.PIPE,
        )
        os.close(given)
        if read:
            os.read(got, read)
            os.close(got)
        _, told = process.communicate()
        assert process.returncode == int(code), told
        assert "stderr" in streams or b"roken" not in told


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a conversation, and beside it one to import; for words only."""
    folder = tmp_path_factory.mktemp("written")
    for name in ("long", "more"):
        lines = "".join(message(f"line {n} of tea " * 9) for n in range(400))
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    with recollect.open(folder / "home", overrides={"embedding.provider": "none"}) as memory:
        memory.import_transcripts(folder / "long.jsonl", "jsonl")
        memory.sync()
    return folder / "home"


def test_an_interrupt_leaves_everything_consistent(
    surroundings: dict[str, str], run: Run, home: Path, tmp_path: Path
) -> None:
    """Exit code 130, one message, and the next run goes on from there."""
    path = tmp_path / "long.jsonl"
    path.write_text("".join(message(f"line {n} " * 20) for n in range(20_000)), encoding="utf-8")
    run("--home", home, "init")
    process = subprocess.Popen(
        [*COMMAND, "--home", str(home), "import", "jsonl", str(path)],
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background of a shell has the interrupt switched off, and hands that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    log = home / "records.db-wal"
    while process.poll() is None and not (log.exists() and log.stat().st_size > FIRST_BATCH):
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err == (
        "error: interrupted; what was stored is kept\n"
        " hint: run the same command again to go on from there\n"
    )
    stored = run("--home", home, "status", "--json").json["messages"]
    report = run("--home", home, "import", "jsonl", path, "--json").json
    assert stored + report["messages"] == 20_000
    assert report["malformed_count"] == 0
    assert run("--home", home, "doctor", "--json").json["healthy"]


def test_an_interrupted_scrub_says_that_it_is_to_be_run_again(
    surroundings: dict[str, str], run: Run, home: Path, chat: Path
) -> None:
    """What it had not come to still holds the secret; before, it only said "interrupted"."""
    run("--home", home, "init")
    run("--home", home, "import", "jsonl", chat)
    done = subprocess.run(
        [sys.executable, "-c", UNLUCKY, "write", "--home", home, "scrub"],
        env=surroundings | {"RECOLLECT_PRIVACY__PATTERNS": "e"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, ""), done.stderr
    assert done.stderr.endswith(
        "error: interrupted; what was stored is kept\n"
        " hint: run the same command again to go on from there\n"
    )


UNLUCKY = """
import inspect, sys, threading
from recollect.cli.main import main

wait = threading.Condition.wait
lines, first = inspect.getsourcelines(wait)
released = first + next(n for n, line in enumerate(lines) if "_release_save()" in line)

def on_line(frame, event, _):
    if event == "line" and frame.f_lineno > released:
        sys.settrace(None)
        raise KeyboardInterrupt
    return on_line

def is_waited_for_the_writer(frame):
    while frame is not None and not frame.f_code.co_filename.endswith("writer.py"):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_name == sys.argv[1]

def on_call(frame, event, _):
    is_it = frame.f_code is wait.__code__ and is_waited_for_the_writer(frame)
    return on_line if is_it else None

sys.settrace(on_call)
sys.exit(main(sys.argv[2:]))
"""
"""Interrupts a command where a lock has been let go of and is not yet taken back."""


@pytest.mark.parametrize("waiting_in", ["write", "submit"])
def test_an_interrupt_between_two_lines_of_a_lock_is_an_interrupt(
    surroundings: dict[str, str], run: Run, home: Path, chat: Path, waiting_in: str
) -> None:
    """What breaks then is the lock of Python's own, a RuntimeError; nobody asked for that."""
    run("--home", home, "init")
    done = subprocess.run(
        [sys.executable, "-c", UNLUCKY, waiting_in, "--home", home, "import", "jsonl", chat],
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, ""), done.stderr
    assert done.stderr.startswith("error: interrupted; what was stored is kept\n")
    run("--home", home, "import", "jsonl", chat)
    assert len(texts_of(run, home)) == 3


@pytest.mark.parametrize("module", ["typer", "recollect.memory"])
def test_an_interrupt_while_the_program_is_being_imported_is_one_line(
    run: Run, home: Path, tmp_path: Path, module: str
) -> None:
    """Ctrl-C comes when somebody is impatient, and importing is what they wait for first."""
    run("--home", home, "init")
    finder = tmp_path / "site"
    finder.mkdir()
    (finder / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            sys.meta_path.remove(self)\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n",
        encoding="utf-8",
    )
    done = run("--home", home, "search", "tea", PYTHONPATH=str(finder))
    assert (done.code, done.out, done.err) == (130, "", "error: interrupted\n")
    done = run("--home", home, "search", "tea", "--json", PYTHONPATH=str(finder))
    assert (done.code, done.error["code"]) == (130, "interrupted")


STARTING = """
import atexit, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
INTERRUPT = "import os, signal; os.kill(os.getpid(), signal.SIGINT); pass"
"""


def test_the_entry_point_imports_nothing_before_it_can_be_interrupted(
    surroundings: dict[str, str],
) -> None:
    """What is imported before it runs would end in a traceback."""
    script = (
        "import sys; old = {*sys.modules}; import recollect.__main__; print({*sys.modules}-old)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=surroundings, capture_output=True, text=True, check=True
    )
    assert set(ast.literal_eval(done.stdout)) == {"recollect", "recollect.__main__"}


def test_an_interrupt_in_code_that_is_made_at_run_time_exits_as_any_other(
    run: Run, home: Path, tmp_path: Path
) -> None:
    """Python notes such an interrupt, of a named tuple or so, and ends the process by a signal."""
    (tmp_path / "sitecustomize.py").write_text(
        f"{STARTING}\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'typer':\n"
        "            sys.meta_path.remove(self)\n"
        "            exec(INTERRUPT)\n"
        "sys.meta_path.insert(0, Interrupt())\n",
        encoding="utf-8",
    )
    done = run("--home", home, "init", PYTHONPATH=str(tmp_path))
    assert (done.code, done.out, done.err) == (130, "", "error: interrupted\n")


def test_an_interrupt_after_the_answer_changes_nothing(run: Run, tmp_path: Path) -> None:
    """The process is letting go of its files; there is nothing left to stop."""
    (tmp_path / "sitecustomize.py").write_text(
        f"{STARTING}\natexit.register(lambda: exec(INTERRUPT))\n", encoding="utf-8"
    )
    done = run("--version", PYTHONPATH=str(tmp_path))
    assert (done.code, done.err) == (0, "")
    done = run("no-such-command", PYTHONPATH=str(tmp_path))
    assert (done.code, "Traceback" in done.err) == (2, False)


def test_an_unexpected_error_is_one_line_and_a_hint(run: Run, home: Path, tmp_path: Path) -> None:
    """The rest is for whoever debugs."""
    package = tmp_path / "site"
    package.mkdir()
    # A module that shadows a dependency and breaks in a way that nobody foresaw.
    (package / "platformdirs.py").write_text("raise ZeroDivisionError('secret')", encoding="utf-8")
    done = subprocess.run(
        [*COMMAND, "--home", str(home), "--json", "models"],
        env={"PYTHONPATH": str(package), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    told = json.loads(done.stderr)["error"]
    assert (told["code"], told["message"]) == ("internal", "unexpected ZeroDivisionError")
    assert "--debug" in told["hint"]
    assert run("--home", home, "--debug", "config").code == 0


def test_progress_in_a_log_is_lines_on_stderr(run: Run, home: Path, chat: Path) -> None:
    """Never bars, and nothing on stdout; short work says nothing at all."""
    run("--home", home, "init")
    done = run("--home", home, "import", "jsonl", chat)
    assert "\x1b" not in done.out + done.err
    assert "\r" not in done.out + done.err
    assert done.out.count("\n") == 1


def test_the_help_loads_no_arrays_and_no_database(surroundings: dict[str, str]) -> None:
    """It would start three times slower; `import recollect` loads nothing either."""
    heavy = "{'numpy', 'apsw', 'yaml', 'recollect.memory', 'benchmarks.commands'}"
    code = (
        "import sys\n"
        "import recollect\n"
        "from recollect.cli.main import main\n"
        "main(['--help'])\n"
        f"print({heavy} & set(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=surroundings, capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "set()"


def test_a_search_loads_no_model_runtime_and_no_progress_bars(
    surroundings: dict[str, str], run: Run, home: Path, chat: Path
) -> None:
    """What it does not need it does not pay for."""
    run("--home", home, "import", "jsonl", chat)
    run("--home", home, "sync")
    heavy = "{'onnxruntime', 'onnx', 'rich.console', 'rich.progress', 'pydantic', 'matplotlib'}"
    code = (
        "import sys\n"
        "from recollect.cli.main import main\n"
        f"main(['--home', {str(home)!r}, 'search', 'tea', '--json'])\n"
        f"print({heavy} & set(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=surroundings, capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "set()"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_shown_for_every_shell(
    surroundings: dict[str, str], shell: str, run: Run
) -> None:
    """Through the entry point, as an installed one would be asked."""
    done = run(_RECOLLECT_COMPLETE=f"source_{shell}")
    assert done.code == 0
    assert "recollect" in done.out
    asked = {"COMP_WORDS": "recollect tran", "COMP_CWORD": "1"}
    offered = run(_RECOLLECT_COMPLETE="complete_bash", **asked)
    assert offered.out.split() == ["transcript"]


def test_deleting_the_index_loses_nothing(run: Run, home: Path, chat: Path) -> None:
    """Same results, no data lost."""
    run("--home", home, "import", "jsonl", chat)
    run("--home", home, "sync")
    before = run("--home", home, "search", "tea", "--json").json["hits"]
    for path in home.glob("index.db*"):
        path.unlink()
    assert run("--home", home, "search", "tea", "--json").json["hits"] == before
    assert len(texts_of(run, home)) == 3
