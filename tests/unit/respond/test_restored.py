"""A home that is restored answers nothing by itself that may have been answered since."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import recollect
from recollect.core.clock import SystemClock
from recollect.core.scope import LOCAL_TENANT
from recollect.core.settings import StoreSettings
from recollect.respond.channels.deliveries import Deliveries, PendingDelivery
from recollect.respond.inbound import Inbound
from recollect.store.sqlite.database import open_records
from tests.support.chat_model import SETTINGS, ChatModel
from tests.unit.respond.conftest import Open

KEY = "agent:main:telegram:direct:42"


def test_a_message_that_waited_in_the_backup_is_not_answered(
    open_chat: Open, model: ChatModel, tmp_path: Path
) -> None:
    """It is kept, and answered when it is sent again; what was not sent is listed."""
    archive, restored = tmp_path / "home.backup", tmp_path / "restored"
    memory = open_chat()
    memory.responder.submit(
        Inbound(key=KEY, text="Where is the key?", event_id="7"), lambda _: None, debounce_ms=60_000
    )
    clock = SystemClock()
    with closing(open_records(tmp_path / "home", StoreSettings(), clock)) as records:
        waiting = PendingDelivery(KEY, "7", {"chat": 42})
        Deliveries(records, clock, LOCAL_TENANT, "telegram").add(waiting)
    memory.backup(archive)
    report = recollect.restore(archive, restored)
    assert "messages without an answer, to be sent again: 1" in report.warnings
    with recollect.open(restored, overrides=SETTINGS, live=False) as again:
        assert again.responder.pending() == []
        again.responder.resume()
        assert [each.state for each in again.channels.status().lost] == ["unknown"]
        assert model.prompts == []
        model.steps.append("Behind the door.")
        reply = again.respond(KEY, "Where is the key?", event_id="7", debounce_ms=0)
    assert (reply.status, reply.text) == ("answered", "Behind the door.")
