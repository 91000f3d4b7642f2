"""The programs of the page on Python run: the real SDKs, against servers as strict as the APIs."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import recollect
from tests.support.prompt_server import KEY, StandIn, anthropic_messages, openai_chat
from tests.support.provider_server import ProviderServer

PROGRAMS = Path(__file__).resolve().parents[2] / "docs" / "examples" / "programs"
PAGE = PROGRAMS.parents[1] / "python.md"


def _environment(server: ProviderServer, home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "RECOLLECT_HOME": str(home / "home"),
        "RECOLLECT_EMBEDDING__PROVIDER": "none",
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{server.origin}/v1",
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": server.origin,
    }


@pytest.mark.parametrize(
    ("name", "api"), [("openai_chat", openai_chat()), ("anthropic_chat", anthropic_messages())]
)
def test_a_chat_goes_on_in_the_next_run(tmp_path: Path, name: str, api: StandIn) -> None:
    """With a tool in the middle; the second program knows what the first one was told."""
    with ProviderServer(services=[api]) as server:
        for lines in ("Pu-erh keeps for years.\nWhen do you open?\n", "And tea?\n"):
            done = subprocess.run(
                [sys.executable, str(PROGRAMS / f"{name}.py")],
                input=lines,
                env=_environment(server, tmp_path),
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            assert done.returncode == 0, (done.stderr, api.refused)
            assert "You told me" in done.stdout
    assert api.refused == []
    last = api.bodies[-1]
    assert "9 to 18" in str(last["messages"])
    assert "Pu-erh keeps for years." in str(last["messages"])
    overrides = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=overrides, live=False) as memory:
        (session,) = memory.sessions.list()
        assert [call.tool_name for call in memory.sessions.tool_calls(session.id)] == [
            "opening_hours"
        ]


def test_the_web_handler_has_a_conversation_for_each_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a message that comes twice is there once."""
    api = openai_chat()
    with ProviderServer(services=[api]) as server:
        for name, value in _environment(server, tmp_path).items():
            monkeypatch.setenv(name, value)
        app = runpy.run_path(str(PROGRAMS / "web_handler.py"))["app"]
        with TestClient(app) as web:
            first = web.post("/chat", json={"user": "42", "id": "a", "text": "Green tea."})
            web.post("/chat", json={"user": "43", "id": "a", "text": "Their tea."})
            again = web.post("/chat", json={"user": "42", "id": "b", "text": "Which tea?"})
    assert first.json() == {"text": "You told me: Green tea.", "seq": 2}
    assert again.json()["seq"] == 4
    said = [message["content"] for message in api.bodies[-1]["messages"]]
    assert said == ["Be brief.", "Green tea.", "You told me: Green tea.", "Which tea?"]
    assert api.refused == []


def test_every_program_is_on_the_page() -> None:
    """A reader finds it there whole."""
    page = PAGE.read_text(encoding="utf-8")
    assert {path.name for path in PROGRAMS.glob("*.py")} == {
        name.partition("\n")[0].removesuffix("```").strip()
        for name in page.split("examples/programs/")[1:]
    }
