"""The lines of stdin, and a server that ends with them, inside this process."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

import recollect
from recollect.cli.main import main
from recollect.mcp.stdin import Stdin


@pytest.fixture
def pipe() -> Iterator[int]:
    """Put a pipe in the place of stdin; return the end that a client writes to."""
    kept = os.dup(0)
    out, into = os.pipe()
    os.dup2(out, 0)
    os.close(out)
    try:
        yield into
    finally:
        os.dup2(kept, 0)
        os.close(kept)


async def lines_of(stdin: Stdin) -> list[str]:
    """Return the lines until they end."""
    return [line async for line in stdin.lines]


def test_lines_come_until_the_client_closes_them(pipe: int) -> None:
    """What is no text of ours is replaced, not an end of the connection."""

    async def read() -> tuple[list[str], bool, bytes]:
        with Stdin() as stdin:
            left = os.read(0, 10)
            with os.fdopen(pipe, "wb") as client:
                client.write(b"one\ntwo \xff\nthree")
            return await lines_of(stdin), stdin.is_interrupted, left

    assert anyio.run(read) == (["one\n", "two \ufffd\n", "three"], False, b"")


@pytest.mark.parametrize(
    ("sent", "is_interrupted"), [(signal.SIGINT, True), (signal.SIGTERM, False)]
)
def test_a_signal_ends_the_lines(pipe: int, sent: signal.Signals, is_interrupted: bool) -> None:
    """The thread that reads goes on waiting, and keeps nothing from ending."""

    async def read() -> tuple[list[str], bool]:
        with Stdin() as stdin:
            os.write(pipe, b"one\n")
            lines = [await stdin.lines.receive()]
            signal.raise_signal(sent)
            return lines + await lines_of(stdin), stdin.is_interrupted

    assert anyio.run(read) == (["one\n"], is_interrupted)
    os.close(pipe)


def test_the_command_serves_until_stdin_ends(pipe: int, tmp_path: Path) -> None:
    """Issue 12: stdio; a client that is gone leaves no server behind."""
    home = tmp_path / "home"
    recollect.open(home, overrides={"embedding.provider": "none"}, live=False).close()
    os.close(pipe)
    assert main(["--home", str(home), "mcp", "--project", str(tmp_path)]) == 0


def test_the_command_ends_as_interrupted(
    pipe: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 130, as of every command."""
    home = tmp_path / "home"
    recollect.open(home, overrides={"embedding.provider": "none"}, live=False).close()
    lines = Stdin.__init__

    def interrupted(self: Stdin) -> None:
        lines(self)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Stdin, "__init__", interrupted)
    assert main(["--home", str(home), "mcp"]) == 130
    assert capsys.readouterr().err == "error: interrupted\n"
    os.close(pipe)
