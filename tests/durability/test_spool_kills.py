"""A hook's event whose spooling or taking in is killed anywhere: whole or not there, stored once.

Source: issue of step 9, item 2.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import recollect
from recollect.hook.keeping import keep
from recollect.hook.spool import Spool
from recollect.server.spooling import drain_home
from tests.durability.deaths import deaths, run
from tests.durability.scale import SCALE, report
from tests.support.leftovers import files_that_hold

SECRET = "ghp_" + "a" * 36
EVENTS = 6


def payload(number: int) -> str:
    """Return what Claude Code says after a tool."""
    command = f"git commit -m 'Fix number {number} with {SECRET}'"
    told = {
        "session_id": "5b1f6a3e-0c1d-4a55-9d0a-6f1d2c3b4a01",
        "cwd": "/nowhere/tea",
        "prompt_id": "c0ffee00-1111-4222-8333-444455556666",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_use_id": f"toolu_{number}",
        "tool_input": {"command": command},
        "tool_response": {"stdout": "ok"},
    }
    return json.dumps(told)


def fill(home: Path) -> None:
    """Make a home in whose spool events wait."""
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("embedding: {provider: none}\n")
    recollect.open(home, live=False).close()
    for number in range(EVENTS):
        assert keep(home, "claude-code", "PostToolUse", number, payload(number).encode())


def uses(home: Path) -> list[str]:
    """Return which calls of tools are stored."""
    with recollect.open(home, live=False) as memory:
        return sorted(str(each.tool_use_id) for each in memory.observations.list(limit=100))


def test_an_event_whose_spooling_is_killed_is_whole_or_not_there(tmp_path: Path) -> None:
    """Ahead of a call to the disk and between two of them; no secret is left in a draft."""
    base = tmp_path / "base"
    fill(base)
    new = payload(EVENTS)
    life = run("keep_until_death", shutil.copytree(base, tmp_path / "whole"), new)
    assert life is not None
    kills, moments = 0, deaths("keep", life)
    while kills < SCALE.kills // 2:
        home = Path(shutil.copytree(base, tmp_path / "killed"))
        kills += run("keep_until_death", home, new, dies=next(moments)) is None
        assert files_that_hold(home, SECRET) == []
        assert drain_home(home).aside == ()
        assert EVENTS <= len(uses(home)) <= EVENTS + 1
        shutil.rmtree(home)
    report("spooling killed", kills=kills, half=0, secrets_on_disk=0)


def test_events_whose_taking_in_is_killed_are_stored_once(tmp_path: Path) -> None:
    """The next one goes on; what was stored and not yet removed is a duplicate."""
    base = tmp_path / "base"
    fill(base)
    life = run("drain_until_death", shutil.copytree(base, tmp_path / "whole"))
    assert life is not None
    kills, moments = 0, deaths("drain", life)
    while kills < SCALE.kills // 2:
        home = Path(shutil.copytree(base, tmp_path / "killed"))
        kills += run("drain_until_death", home, dies=next(moments)) is None
        assert drain_home(home).aside == ()
        assert uses(home) == [f"toolu_{number}" for number in range(EVENTS)]
        assert Spool(home).files() == []
        shutil.rmtree(home)
    report("taking in killed", kills=kills, lost=0, doubled=0)
