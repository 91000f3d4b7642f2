"""`recollect channels`: who may write, and how the channels do."""

from __future__ import annotations

from pathlib import Path

import recollect
from recollect.audience.session_key import parse_key
from recollect.core.errors import ConfigError
from recollect.respond.channels.channels import ChannelStates, senders_of
from recollect.respond.channels.deliveries import Deliveries, PendingDelivery
from tests.unit.cli.conftest import Run


def test_senders_are_allowed_and_denied(run: Run, home: Path) -> None:
    """Unknown ones come first, with what to do."""
    run("--home", home, "init")
    assert run("--home", home, "channels").out == "no message came yet\n"
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        key = parse_key("agent:main:telegram:default:direct:42")
        senders_of(memory.channels.access).admit(key, "telegram:42")
    listed = run("--home", home, "channels", "list")
    assert listed.out.startswith("unknown  telegram:42  1 message not taken  ")
    assert "recollect channels allow ACCOUNT" in listed.err
    assert "allowed  telegram:42" in run("--home", home, "channels", "allow", "telegram:42").out
    denied = run("--home", home, "channels", "deny", "telegram:42", "--json").json
    assert (denied["account"], denied["status"], denied["refused"]) == ("telegram:42", "denied", 1)
    assert run("--home", home, "channels", "allow", "ann").code == 2


def test_the_status_tells_what_failed_and_what_may_not_have_arrived(run: Run, home: Path) -> None:
    """Each with the next step."""
    run("--home", home, "init")
    assert "enabled  none" in run("--home", home, "channels", "status").out
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        access = memory.channels.access
        failure = ConfigError("the token is wrong", hint="set it")
        ChannelStates(access.database, access.clock).tell("telegram", "failed", failure)
        deliveries = Deliveries(access.database, access.clock, "local", "telegram")
        for number, code in ((1, None), (2, "telegram_403")):
            place = PendingDelivery("telegram:42", f"m{number}", {"chat": 42})
            deliveries.add(place)
            id_ = deliveries.begin(place)
            assert id_ is not None
            deliveries.end(id_, "unknown" if code is None else "failed", code)
    shown = run("--home", home, "channels", "status")
    assert "telegram: the token is wrong: set it" in shown.err
    lines = shown.out.splitlines()
    assert any(line.startswith("unknown  telegram:42 m1") for line in lines)
    assert any(line.startswith("failed   telegram:42 m2 (telegram_403)") for line in lines)
    document = run("--home", home, "channels", "status", "--json").json
    assert document["deliveries"] == {"failed": 1, "unknown": 1}
