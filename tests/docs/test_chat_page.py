"""docs/chat.md: the commands that it lists are those that there are."""

from __future__ import annotations

import re
from pathlib import Path

from recollect.respond.commands.chat_commands import COMMANDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "chat.md"
ROW = re.compile(r"^\| `/(\S+?)(?: (.*))?` \| (.*) \| (everybody|owner) \|$", re.MULTILINE)


def test_the_page_lists_every_command() -> None:
    """With its usage, what it does, and who may give it."""
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    shown = [(name, usage.replace("\\|", "|"), about, who) for name, usage, about, who in rows]
    assert shown == [
        (each.name, each.usage, each.about, "everybody" if each.is_open else "owner")
        for each in COMMANDS.values()
    ]


def test_the_page_prints_what_its_example_does() -> None:
    """The test of examples runs it; here the two are the same."""
    from tests.docs.test_examples import SAYS

    assert SAYS["chat.py"] in PAGE.read_text(encoding="utf-8")
