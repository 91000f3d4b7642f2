"""`recollect token`: whom the operator lets in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.governance.token_file import TOKEN_FILE
from recollect.governance.tokens import Token
from tests.support.scripted_time import ScriptedTime
from tests.unit.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("filled")
HOUR = 3_600_000


def verified(home: Path, text: str) -> Token:
    """Return the token that a text is of."""
    with recollect.open(home, live=False) as memory:
        return memory.tokens.verify(text)


def test_the_text_is_printed_once_and_alone(run: Run, home: Path) -> None:
    """So that it can be piped; what it opens is said beside it."""
    done = run("--home", home, "token", "add", "claude")
    (text,) = done.out.splitlines()
    assert verified(home, text).name == "claude"
    assert "hears as a guest of its own" in done.err
    assert "is not shown again" in done.err
    assert text not in done.err
    shown = run("--home", home, "token", "list").out + run("--home", home, "events").out
    shown += run("--home", home, "token", "list", "--json").out
    shown += run("--home", home, "token", "revoke", "claude", "--json").out
    assert text not in shown


def test_all_that_a_token_is_can_be_said(run: Run, home: Path, tmp_path: Path) -> None:
    """Issue 12, 3."""
    shop = tmp_path / "shop"
    shop.mkdir()
    given = (
        *("--tenant", "acme", "--agent", "Work", "--project", shop),
        *("--as", "session:agent:work:telegram:group:-7", "--rights", "write"),
        *("--channels", "telegram, Discord", "--expires", "30d"),
    )
    before = SystemClock().now_ms()
    issued = run("--home", home, "token", "add", "bridge", *given, "--json").json
    token = verified(home, issued["text"])
    assert issued["token"] == json.loads(json.dumps(issued["token"]))
    assert (token.tenant, token.agent, token.project) == ("acme", "work", str(shop))
    assert token.audience == "session:agent:work:telegram:group:-7"
    assert (token.rights, token.channels) == ("write", ("telegram", "discord"))
    assert token.expires_at is not None
    assert 0 <= token.expires_at - before - 30 * 24 * HOUR < HOUR
    dated = run("--home", home, "token", "add", "until", "--expires", "2999-01-02", "--json").json
    assert dated["token"]["expires_at"] == 32_472_230_400_000


@pytest.mark.parametrize(
    "given",
    [
        ("--rights", "root"),
        ("--as", "everybody"),
        ("--expires", "soon"),
        ("--expires", "2020-01-01"),
        ("--channels", "a b"),
    ],
)
def test_what_cannot_be_is_wrong_usage(run: Run, home: Path, given: tuple[str, str]) -> None:
    """With a hint; nothing is added."""
    done = run("--home", home, "token", "add", "claude", *given, "--json")
    assert done.code == 2
    assert done.error["hint"]
    names = [
        token["name"] for token in run("--home", home, "token", "list", "--json").json["tokens"]
    ]
    assert names == ["owner"]


def test_the_first_command_makes_the_owners_token(run: Run, home: Path) -> None:
    """0600, in the home; the list has it first and says where it is."""
    assert not (home / TOKEN_FILE).exists()
    run("--home", home, "token", "add", "claude", "--as", "owner", "--channels", "*")
    lines = run("--home", home, "token", "list").out.splitlines()
    assert lines[0].split()[:3] == ["owner", "owner", "admin"]
    assert str(home / TOKEN_FILE) in lines[0]
    assert lines[1].split()[:3] == ["claude", "owner", "read"]
    assert "never used" in lines[1]
    assert verified(home, (home / TOKEN_FILE).read_text().strip()).is_owners


def test_the_list_tells_how_far_each_goes(run: Run, home: Path) -> None:
    """Scope, channels, end; revoked ones with --all."""
    add = ("--home", home, "token", "add")
    run(*add, "far", "--tenant", "acme", "--agent", "work", "--channels", "slack")
    run(*add, "near", "--expires", "2999-01-02")
    run("--home", home, "token", "revoke", "near")
    listed = run("--home", home, "token", "list").out
    assert "  read      tenant acme, agent work, speaks for slack  never used\n" in listed
    assert "near" not in listed
    everything = run("--home", home, "token", "list", "--all").out
    assert "revoked" in next(line for line in everything.splitlines() if "near" in line)


def test_one_whose_time_is_over_is_told_so(run: Run, home: Path) -> None:
    """It opens nothing, and keeps its name until it is revoked: who adds it again is told how."""
    time = ScriptedTime()
    with recollect.open(home, clock=time, live=False) as memory:
        memory.tokens.add("brief", expires_at=time.now_ms() + HOUR)
    line = run("--home", home, "token", "list").out.splitlines()[-1]
    assert line.endswith("never used, ended 2023-11-14 23:13")
    again = run("--home", home, "token", "add", "brief", "--json")
    assert (again.code, again.error["code"]) == (1, "conflict")
    assert "valid" not in again.error["message"]
    assert "`recollect token revoke brief`" in again.error["hint"]
    owners = run("--home", home, "token", "add", "owner", "--json").error
    assert owners["hint"] == "choose another name"


def test_revoking_is_at_once_and_for_good(run: Run, home: Path) -> None:
    """The name can be given again."""
    text = run("--home", home, "token", "add", "claude").out.strip()
    assert run("--home", home, "token", "revoke", "claude").out == "revoked: claude\n"
    with pytest.raises(recollect.RecollectError, match="revoked"):
        verified(home, text)
    again = run("--home", home, "token", "revoke", "claude", "--json")
    assert (again.code, again.error["code"]) == (1, "not_found")
    assert run("--home", home, "token", "add", "claude").code == 0


def test_the_owners_token_is_rotated(run: Run, home: Path) -> None:
    """The file has the new one; the command says where it is, not what it is."""
    run("--home", home, "token", "list")
    before = (home / TOKEN_FILE).read_text().strip()
    done = run("--home", home, "token", "rotate")
    after = (home / TOKEN_FILE).read_text().strip()
    assert before != after
    assert after not in done.out + done.err
    assert str(home / TOKEN_FILE) in done.out
    assert run("--home", home, "token", "rotate", "--json").json == {"path": str(home / TOKEN_FILE)}
    with pytest.raises(recollect.RecollectError):
        verified(home, before)


def test_a_token_without_a_home_is_refused(run: Run, home: Path) -> None:
    """Nothing is made."""
    missing = home.parent / "nowhere"
    done = run("--home", missing, "token", "list", "--json")
    assert (done.code, done.error["code"]) == (1, "not_found")
    assert not missing.exists()


def test_token_alone_lists_them(run: Run, home: Path) -> None:
    """As the other groups do."""
    assert (
        run("--home", home, "token", "--json").json
        == run("--home", home, "token", "list", "--json").json
    )


def test_events_name_the_token(run: Run, home: Path) -> None:
    """Issue 12, 3: who did it, for people and programs; without one nobody is named."""
    from recollect.core.actor import acting

    with recollect.open(home, live=False) as memory, acting("claude"):
        memory.sessions.create(title="by claude")
    lines = run("--home", home, "events").out.splitlines()
    assert "by claude" in lines[-1]
    assert " by " not in lines[0]
    last = [json.loads(line) for line in run("--home", home, "events", "--json").out.splitlines()]
    assert (last[-1]["actor"], last[0]["actor"]) == ("claude", None)


def test_the_audit_is_shown_by_events(run: Run, home: Path) -> None:
    """What was done with the rights of an operator."""
    run("--home", home, "token", "add", "claude")
    run("--home", home, "token", "revoke", "claude")
    lines = run("--home", home, "events", "--audit").out.splitlines()
    assert [line.split()[3:] for line in lines] == [
        ["token.add", "claude"],
        ["token.revoke", "claude"],
    ]
    found = [
        json.loads(line)
        for line in run("--home", home, "events", "--audit", "--json").out.splitlines()
    ]
    assert [entry["action"] for entry in found] == ["token.add", "token.revoke"]
    assert found[0]["actor"] is None
    refused = run("--home", home, "events", "--audit", "--follow", "--json")
    assert refused.code == 2
