"""Bad input gives a clear error with a hint: exit code 1, or 2 where it was an argument.

Everything here goes through real processes with an empty HOME; nothing is lost, nothing ends in a
traceback (the fixture looks for one in every run).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.integration.cli.conftest import COMMAND, Done, Run, message, texts_of

BIG_BYTES = 200 * 1024 * 1024


def _is_clear(done: Done, code: str) -> bool:
    """Return whether an error says what happened and what to do; for ``--json`` runs."""
    told = done.error
    return done.code == 1 and told["code"] == code and bool(told["message"] and told["hint"])


@pytest.mark.parametrize(
    "command",
    [
        ("search", "tea"),
        ("status",),
        ("get", "MEMORY.md"),
        ("sessions",),
        ("transcript", "x"),
        ("sync",),
        ("reindex",),
        ("doctor",),
    ],
)
def test_a_missing_home_is_told_and_not_made(
    run: Run, home: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Neither the one named nor the usual one."""
    for before in (("--home", home), ()):
        done = run(*before, *command, "--json")
        assert _is_clear(done, "not_found")
        assert "init`" in done.error["hint"]
        assert done.out == ""
    assert not home.exists()
    assert list((tmp_path / "user").iterdir()) == []


def test_an_empty_folder_is_no_home_yet(run: Run, home: Path) -> None:
    """A slip of the path is found out."""
    home.mkdir()
    done = run("--home", home, "search", "tea")
    assert done.code == 1
    assert "holds no memory yet" in done.err
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"search: [", "config.yaml line 1 cannot be understood"),
        (b"search:\n  limt: 3\n", "unknown setting search.limt (config.yaml line 2)"),
        (b"search:\n  limit: many\n", "setting search.limit must be an integer"),
        (b"\xff\xfe\x00s\x00e", "config.yaml line 1 is not UTF-8"),
        (b"\0\1\2\3", "config.yaml line 1 cannot be understood"),
        (b"# " + b"x" * 300_000, "config.yaml is larger than 256 KiB"),
    ],
)
def test_a_corrupt_config_is_told_with_its_line(
    run: Run, home: Path, chat: Path, content: bytes, told: str
) -> None:
    """It is not touched; mended, everything is there."""
    assert run("--home", home, "import", "jsonl", chat).code == 0
    config = home / "config.yaml"
    config.write_bytes(content)
    for command in (("search", "tea"), ("status",), ("sync",), ("config",)):
        done = run("--home", home, "--json", *command)
        assert _is_clear(done, "config")
        assert told in done.error["message"]
    assert config.read_bytes() == content
    config.unlink()
    assert len(texts_of(run, home)) == 3


def test_a_binary_file_named_md_is_told_and_the_rest_is_found(
    run: Run, home: Path, tmp_path: Path
) -> None:
    """By its name; it can neither be indexed nor shown."""
    notes = tmp_path / "notes"
    (notes / "memory").mkdir(parents=True)
    (notes / "memory" / "good.md").write_text("The gasket is MAG-4471.\n", encoding="utf-8")
    (notes / "memory" / "odd.md").write_bytes(bytes(range(256)) * 64)
    assert run("--home", home, "init", "--workspace", notes).code == 0
    synced = run("--home", home, "sync")
    assert synced.code == 0
    assert "memory/odd.md: left out, the file is binary" in synced.err
    assert _is_clear(run("--home", home, "get", "memory/odd.md", "--json"), "invalid_input")
    found = run("--home", home, "search", "gasket", "--json")
    assert [hit["path"] for hit in found.json["hits"]] == ["memory/good.md"]


def test_a_line_of_200_mb_is_told_and_the_rest_is_stored(
    run: Run, home: Path, tmp_path: Path
) -> None:
    """With its number, and without reading it into memory."""
    path = tmp_path / "long.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.write(message("before it"))
        file.write('{"role": "user", "content": "')
        for _ in range(BIG_BYTES >> 20):
            file.write("x" * (1 << 20))
        file.write('"}\n')
        file.write(message("behind it"))
    done = run("--home", home, "import", "jsonl", path, "--json")
    path.unlink()
    assert done.code == 0
    bad = {"path": str(path), "line": 2, "reason": "a line longer than 18 MB"}
    assert done.json["malformed"] == [bad]
    assert texts_of(run, home) == ["before it", "behind it"]


def test_invalid_utf8_in_a_transcript_is_told_and_the_message_is_stored(
    run: Run, home: Path, tmp_path: Path
) -> None:
    """What could be read of it, and everything else."""
    path = tmp_path / "latin.jsonl"
    bad = b'{"role": "user", "content": "caf\xe9"}\n'
    path.write_bytes(message("before it").encode() + bad + message("behind it").encode())
    done = run("--home", home, "import", "jsonl", path)
    assert done.code == 0
    assert "warning: 1 character could not be stored and stand as \ufffd; everything" in done.err
    assert texts_of(run, home) == ["before it", "caf\ufffd", "behind it"]


def test_invalid_utf8_in_a_note_is_told_and_the_note_is_found(
    run: Run, home: Path, tmp_path: Path
) -> None:
    """What could be read of it."""
    notes = tmp_path / "notes"
    (notes / "memory").mkdir(parents=True)
    (notes / "memory" / "latin.md").write_bytes(b"The caf\xe9 opens on Tuesday.\n")
    run("--home", home, "init", "--workspace", notes)
    synced = run("--home", home, "sync")
    assert synced.code == 0
    assert "memory/latin.md: bytes that are not UTF-8 were replaced" in synced.err
    assert len(run("--home", home, "search", "Tuesday", "--json").json["hits"]) == 1


def test_invalid_utf8_on_the_command_line_is_no_crash(run: Run, home: Path, chat: Path) -> None:
    """File names and questions are bytes on this system."""
    run("--home", home, "import", "jsonl", chat)
    for command in (("search", "caf\udce9"), ("get", "caf\udce9.md"), ("import", "caf\udce9")):
        assert run("--home", home, "--json", *command).code in {0, 1, 2}


@pytest.mark.parametrize(
    "options",
    [
        ("--limit", "0"),
        ("--limit", "1001"),
        ("--min-score", "2"),
        ("--source", "letters"),
        ("--session", "nobody"),
    ],
)
def test_a_wrong_value_is_told(run: Run, home: Path, chat: Path, options: tuple[str, ...]) -> None:
    """And what would be right."""
    run("--home", home, "import", "jsonl", chat)
    done = run("--home", home, "search", "tea", *options)
    assert done.code == (1 if "--session" in options else 2)
    assert done.err.startswith("error: ")
    assert "\n hint: " in done.err


@pytest.mark.parametrize("place", ["home", "parent"])
def test_a_file_in_the_place_of_the_home_is_told(run: Run, tmp_path: Path, place: str) -> None:
    """And left as it is."""
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    home = file if place == "home" else file / "home"
    for command in (("init",), ("search", "tea"), ("import", "jsonl", tmp_path / "x.jsonl")):
        assert _is_clear(run("--home", home, "--json", *command), "invalid_input")
    assert file.read_text("utf-8") == "mine"


def _script(mounts: tuple[str, ...], script: str, env: dict[str, str], cwd: Path) -> Done:
    """Run a shell script in which ``recollect`` is the command line."""
    function = "recollect() { " + " ".join(f"'{part}'" for part in COMMAND) + ' "$@"; }\n'
    done = subprocess.run(
        [*mounts, "sh", "-uc", function + script],
        env=env,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Done(code=done.returncode, out=done.stdout, err=done.stderr)


def test_a_read_only_disk_is_told_and_nothing_is_lost(
    private_mounts: tuple[str, ...], surroundings: dict[str, str], tmp_path: Path, chat: Path
) -> None:
    """By every command that would write; afterwards all is there."""
    script = f"""
    mkdir disk && mount -t tmpfs -o size=64m tmpfs disk || exit 99
    recollect --home disk/home import jsonl {chat} >/dev/null 2>&1 || exit 98
    mount -o remount,ro disk || exit 97
    echo '{{"role": "user", "content": "one more"}}' >> {chat}
    for command in "import jsonl {chat}" "reindex" "init" "prune --yes" "sessions say chat user hi"
    do
        recollect --home disk/home --json $command >out.json 2>err.json
        echo "$command: $?"; cat err.json
    done
    recollect --home disk/new init 2>&1; echo "new: $?"
    mount -o remount,rw disk
    recollect --home disk/home import jsonl {chat} --json 2>/dev/null
    """
    done = _script(private_mounts, script, surroundings, tmp_path)
    assert done.code == 0, done
    lines = done.out.splitlines()
    told = [line for line in lines if line.startswith('{"error"')]
    assert len(told) == 5, done.out
    assert all('"code":"store_read_only"' in line and '"hint":""' not in line for line in told)
    assert [line for line in lines if line.endswith(": 1")][-1] == "new: 1"
    assert '"messages":1' in lines[-1]
    assert '"duplicates":0' in lines[-1]


@pytest.mark.parametrize("state", ["closed", "killed"])
def test_a_home_on_a_read_only_disk_answers(
    private_mounts: tuple[str, ...],
    surroundings: dict[str, str],
    tmp_path: Path,
    chat: Path,
    state: str,
) -> None:
    """From what was stored, with a warning; also where a program was killed and left its log."""
    kill = "import os, sys, recollect\nmemory = recollect.open(sys.argv[1], live=False)\n" + (
        "session = memory.sessions.create(key='talk')\n"
        "memory.sessions.append(session.id, 'user', 'the kettle whistles')\n"
        "os._exit(0)\n"
    )
    (tmp_path / "kill.py").write_text(kill, encoding="utf-8")
    notes = tmp_path / "notes"
    (notes / "memory").mkdir(parents=True)
    (notes / "memory" / "good.md").write_text("The gasket is MAG-4471.\n", encoding="utf-8")
    script = f"""
    mkdir disk && mount -t tmpfs -o size=64m tmpfs disk || exit 99
    recollect --home disk/home init --workspace {notes} >/dev/null 2>&1 || exit 98
    recollect --home disk/home import jsonl {chat} >/dev/null 2>&1 || exit 98
    recollect --home disk/home sync >/dev/null 2>&1 || exit 98
    test {state} = closed || {COMMAND[0]} kill.py disk/home || exit 96
    mount -o remount,ro disk || exit 97
    for command in "search tea" "get memory/good.md" "sessions" "transcript chat" "status"
    do
        recollect --home disk/home $command >out 2>err; echo "$command: $?"
        grep -c "warning: .*disk/home cannot be written: " err
        recollect --home disk/home $command --json >out 2>err; echo "$command: $?"; cat err
    done
    recollect --home disk/home search gasket --json
    recollect --home disk/home transcript talk --json 2>/dev/null || echo none
    """
    done = _script(private_mounts, script, surroundings, tmp_path)
    commands = ("search tea", "get memory/good.md", "sessions", "transcript chat", "status")
    expected = [line for each in commands for line in (f"{each}: 0", "1", f"{each}: 0")]
    lines = done.out.splitlines()
    assert lines[: len(expected)] == expected, done
    assert "good.md" in lines[-2]
    assert "disk/home cannot be written: what was stored before is found" in lines[-2]
    assert ("the kettle whistles" in lines[-1]) == (state == "killed")


def test_a_full_disk_is_told_and_nothing_is_lost(
    private_mounts: tuple[str, ...], surroundings: dict[str, str], tmp_path: Path, chat: Path
) -> None:
    """What was stored before is there, and the rest comes when there is space."""
    big = tmp_path / "big.jsonl"
    with big.open("w", encoding="utf-8") as file:
        file.writelines(message(f"number {n} " + "tea " * 500) for n in range(3_000))
    script = f"""
    mkdir disk && mount -t tmpfs -o size=3m tmpfs disk || exit 99
    recollect --home disk/home import jsonl {chat} >/dev/null 2>&1 || exit 98
    recollect --home disk/home import jsonl {big} --json; echo "import: $?"
    mount -o remount,size=256m disk || exit 97
    recollect --home disk/home import jsonl {big} {chat} --json; echo "again: $?"
    recollect --home disk/home status --json
    recollect --home disk/home doctor --json > doctor.json; echo "doctor: $?"
    """
    done = _script(private_mounts, script, surroundings, tmp_path)
    assert done.code == 0, done
    assert '"code":"store_full"' in done.err, done.err
    assert '"hint":"free some space' in done.err
    assert "import: 1" in done.out
    assert "again: 0" in done.out
    assert '"messages":3003' in done.out
    assert "doctor: 0" in done.out, (tmp_path / "doctor.json").read_text("utf-8")


def test_a_full_disk_behind_stdout_is_told(
    surroundings: dict[str, str], tmp_path: Path, run: Run, home: Path, chat: Path
) -> None:
    """The answer did not arrive, so the command failed."""
    run("--home", home, "import", "jsonl", chat)
    for command in ("sessions", "sessions --json", "--help", "search tea"):
        done = _script((), f"recollect --home {home} {command} > /dev/full", surroundings, tmp_path)
        assert done.code == 1, command
        assert "could not be written (No space left on device)" in done.err
