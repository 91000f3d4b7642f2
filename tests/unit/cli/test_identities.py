"""`recollect identities`: who is behind which account."""

from __future__ import annotations

from pathlib import Path

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
