"""`recollect identities`: who is behind which account."""

from __future__ import annotations

from pathlib import Path

import recollect
from tests.unit.cli.conftest import Run


def test_accounts_are_linked_and_unlinked(run: Run, home: Path) -> None:
    """By the owner."""
    run("--home", home, "init")
    assert "recollect identities link NAME ACCOUNT" in run("--home", home, "identities").out
    run("--home", home, "identities", "link", "ann", "telegram:42")
    shown = run("--home", home, "identities", "link", "ann", "slack:U7").out.splitlines()
    assert shown == ["ann", "  slack:U7  operator", "  telegram:42  operator"]
    assert run("--home", home, "identities", "resolve", "slack:U7").out == "ann\n"
    assert run("--home", home, "identities", "unlink", "slack:U7").out == "unlinked: slack:U7\n"
    assert run("--home", home, "identities", "link", "ann", "telegram").code == 2


def test_a_code_links_the_account_where_it_is_typed(run: Run, home: Path) -> None:
    """Once, and capitals do not matter."""
    run("--home", home, "init")
    made = run("--home", home, "identities", "code", "telegram:42")
    code = made.out.split()[0]
    assert f"recollect identities confirm ACCOUNT {code}" in made.err
    confirm = ("--home", home, "identities", "confirm", "slack:U7")
    assert run(*confirm, "AAAAAAAA").code == 2
    accounts = run(*confirm, code.lower(), "--json").json["accounts"]
    assert [each["account"] for each in accounts] == ["slack:U7", "telegram:42"]
    assert run(*confirm, code).code == 2


def test_claims_in_a_chat_are_accepted_and_dismissed(run: Run, home: Path) -> None:
    """By number; a handle is given the account that messages come with."""
    run("--home", home, "init")
    assert "no open proposals" in run("--home", home, "identities", "proposals").out
    said = "I'm also @john on Telegram. My Signal id is 9."
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        chat = memory.sessions.open("agent:main:slack:direct:U7")
        memory.sessions.append(chat.id, "user", said)
        memory.sync()
    found = run("--home", home, "identities", "proposals", "--json").json["proposals"]
    numbers = {each["claimed"]: str(each["number"]) for each in found}
    assert numbers.keys() == {"telegram:john", "signal:9"}
    shown = run("--home", home, "identities", "proposals").out
    assert "slack:U7 claims to be telegram:john" in shown
    gone = run("--home", home, "identities", "dismiss", numbers["signal:9"])
    assert gone.out == "dismissed: signal:9\n"
    assert run("--home", home, "identities", "dismiss", numbers["signal:9"]).code == 1
    accept = ("--home", home, "identities", "accept", numbers["telegram:john"], "telegram:42")
    accounts = run(*accept, "--json").json["accounts"]
    assert [each["account"] for each in accounts] == ["slack:U7", "telegram:42"]
