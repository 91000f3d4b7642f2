"""What hooks keep while no worker takes it: without secrets, capped, counted, one file each.

Source: issue of step 9, item 2.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.errors import Denied, StoreError
from recollect.core.settings import HookSettings
from recollect.hook.keeping import keep, take_over
from recollect.hook.spool import LOST, Spool, SpooledEvent

PAYLOAD = b'{"session_id": "s", "prompt": "hello"}'
S = 1_000_000_000


def event(number: int, size: int = 0) -> SpooledEvent:
    """Return an event of a number."""
    payload = msgspec.Raw(json.dumps({"n": number, "more": "x" * size}).encode())
    return SpooledEvent(client="claude-code", event="Stop", at=number, payload=payload)


def numbers(spool: Spool) -> list[int]:
    """Return which events wait, oldest first."""
    return [json.loads(bytes(spool.read(path).payload))["n"] for path in spool.files()]


def test_events_wait_in_the_order_in_which_they_happened(tmp_path: Path) -> None:
    """Not in that in which they were written: each hook is a process of its own."""
    spool = Spool(tmp_path)
    for number in (3, 1, 2):
        spool.add(event(number), number * S, HookSettings())
    assert numbers(spool) == [1, 2, 3]


def test_when_there_are_too_many_the_oldest_goes_and_is_counted(tmp_path: Path) -> None:
    """The newest are what an agent goes on with."""
    spool, limits = Spool(tmp_path), HookSettings(spool_events=3)
    for number in range(5):
        spool.add(event(number), number * S, limits)
    assert numbers(spool) == [2, 3, 4]
    state = spool.state()
    assert (state.events, state.lost, state.oldest_at) == (3, 2, 2_000)
    assert state.lost_at is not None


def test_when_they_are_too_large_the_oldest_go(tmp_path: Path) -> None:
    """As many as it takes."""
    spool, limits = Spool(tmp_path), HookSettings(spool_bytes=1_000)
    for number in range(3):
        spool.add(event(number, 200), number * S, limits)
    spool.add(event(3, 700), 3 * S, limits)
    assert numbers(spool) == [3]
    assert spool.state().bytes <= 1_000
    assert spool.state().lost == 3


def test_a_spool_takes_as_much_as_its_limits_say(tmp_path: Path) -> None:
    """Not one event or byte less."""
    size = len(msgspec.json.encode(event(1)))
    spool, limits = Spool(tmp_path), HookSettings(spool_bytes=3 * size, spool_events=3)
    for number in range(3):
        assert spool.add(event(number), number * S, limits) is not None
    assert (numbers(spool), spool.state().lost) == ([0, 1, 2], 0)
    only = HookSettings(spool_bytes=size)
    assert spool.add(event(3), 3 * S, only) is not None
    assert (numbers(spool), spool.state().lost) == ([3], 3)


def test_one_that_is_larger_than_the_spool_leaves_the_others(tmp_path: Path) -> None:
    """It is lost itself."""
    spool, limits = Spool(tmp_path), HookSettings(spool_bytes=1_000)
    spool.add(event(1), S, limits)
    assert spool.add(event(2, 2_000), 2 * S, limits) is None
    assert numbers(spool) == [1]
    assert spool.state().lost == 1


def test_the_count_of_what_was_lost_does_not_grow_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A spool that stays full for a year is told all the same."""
    monkeypatch.setattr("recollect.hook.spool._MOST_LOST_BYTES", 100)
    spool = Spool(tmp_path)
    for _ in range(50):
        spool.lose("full")
    assert 0 < (tmp_path / "spool" / LOST).stat().st_size < 150


def test_the_own_patterns_of_the_owner_count_too(tmp_path: Path) -> None:
    """`privacy.patterns` are read where the event is spooled."""
    (tmp_path / "config.yaml").write_text("privacy: {patterns: ['MAG-[0-9]+']}\n")
    path = keep(tmp_path, "gemini", "AfterTool", S, b'{"llmContent": "it is MAG-4471"}')
    assert path is not None
    assert "MAG-4471" not in path.read_text()
    assert "[redacted:pattern:" in path.read_text()


@pytest.mark.parametrize("has_records", [True, False])
def test_the_kinds_of_the_owner_count_too(tmp_path: Path, *, has_records: bool) -> None:
    """`privacy.kinds` are read where the event is spooled, with and without records."""
    (tmp_path / "config.yaml").write_text("privacy: {kinds: [cards]}\n")
    if has_records:
        recollect.open(tmp_path, live=False).close()
    path = keep(tmp_path, "gemini", "AfterTool", S, b'{"llmContent": "4111 1111 1111 1111"}')
    assert path is not None
    assert "4111" not in path.read_text()
    assert "[redacted:card:" in path.read_text()


def test_without_records_nobody_can_link_the_marks(tmp_path: Path) -> None:
    """There is no salt of the home yet; without any a short password could be guessed."""
    payload = b'{"note": "password: hunter22"}'
    payloads = {bytes(_kept(tmp_path, payload).payload) for _ in range(4)}
    assert len(payloads) == 4


def _kept(home: Path, told: bytes) -> SpooledEvent:
    path = keep(home, "claude-code", "Stop", S, told)
    assert path is not None
    return Spool(home).read(path)


def test_marks_are_those_of_the_home(tmp_path: Path) -> None:
    """An equal secret has an equal mark, however it came in."""
    with recollect.open(tmp_path, live=False) as memory:
        session = memory.sessions.create()
        text = memory.sessions.append(session.id, "user", "password: hunter22").text
    payload = json.loads(bytes(_kept(tmp_path, b'{"note": "password: hunter22"}').payload))
    assert payload == {"note": text}


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ("privacy: {exclude_projects: ['/w/bank']}\n", "excluded"),
        ("capture: {skip_tools: ['Ba*']}\n", "tool"),
        ("capture: {skip_paths: ['*.pem']}\n", "file"),
        ("", "paused"),
    ],
)
def test_what_is_not_captured_is_not_even_spooled(
    tmp_path: Path, settings: str, reason: str
) -> None:
    """What the owner excludes never reaches the disk; it is counted as everywhere."""
    (tmp_path / "config.yaml").write_text(f"embedding: {{provider: none}}\n{settings}")
    payload = {"cwd": "/w/bank", "tool_name": "Bash", "tool_input": {"command": "cat key.pem"}}
    with recollect.open(tmp_path, live=False) as memory:
        if reason == "paused":
            memory.capture.pause()
        at = SystemClock().now_ms() * 1_000_000 + 1_000_000
        with pytest.raises(Denied, match="not captured") as refused:
            keep(tmp_path, "claude-code", "PostToolUse", at, json.dumps(payload).encode())
        assert refused.value.facts["reason"] == reason
        take_over(str(tmp_path), "claude-code", "PostToolUse", at, json.dumps(payload).encode())
        assert memory.capture.counts() == {reason: 2}
    assert Spool(tmp_path).state().events == 0
    assert Spool(tmp_path).state().lost == 0


def test_while_the_records_cannot_be_read_nothing_is_spooled(tmp_path: Path) -> None:
    """Nobody knows what is paused; it is counted."""
    (tmp_path / "records.db").write_bytes(b"no database" * 1_000)
    assert keep(tmp_path, "claude-code", "Stop", S, PAYLOAD) is None
    assert Spool(tmp_path).state().lost == 1


@pytest.mark.parametrize("is_home", [True, False])
def test_an_event_is_kept_with_the_time_at_which_it_happened(tmp_path: Path, is_home: bool) -> None:
    """Not that at which a process came to write it; the files sort by it."""
    if is_home:
        recollect.open(tmp_path, live=False).close()
    at_ns = 1_770_000_000_123_456_789
    path = keep(tmp_path, "codex", "Stop", at_ns, PAYLOAD)
    assert path is not None
    event = Spool(tmp_path).read(path)
    assert (event.client, event.event, event.at) == ("codex", "Stop", 1_770_000_000_123)
    assert path.name.startswith(f"0{at_ns}-")
    assert Spool(tmp_path).state().oldest_at == 1_770_000_000_123


def test_a_field_of_another_kind_than_text_loses_no_event(tmp_path: Path) -> None:
    """A program's next version may name its folder or session otherwise."""
    recollect.open(tmp_path, live=False).close()
    for name in ("session_id", "cwd", "tool_name", "tool_input"):
        payload = json.loads(PAYLOAD) | {name: ["/w", 7]}
        assert json.loads(bytes(_kept(tmp_path, json.dumps(payload).encode()).payload)) == payload


def test_marks_of_a_session_are_those_that_its_messages_have(tmp_path: Path) -> None:
    """A value that was named once in a session is a secret in all that it tells later."""
    recollect.open(tmp_path, live=False).close()
    first = b'{"session_id": "s", "note": "export DB_PASSWORD=hunter22-kettle"}'
    later = b'{"session_id": "%s", "note": "it said hunter22-kettle twice"}'
    assert b"hunter22-kettle" not in bytes(_kept(tmp_path, first).payload)
    assert b"hunter22-kettle" not in bytes(_kept(tmp_path, later % b"s").payload)
    assert b"hunter22-kettle" in bytes(_kept(tmp_path, later % b"other").payload)


def test_without_redaction_an_event_is_spooled_as_it_is(tmp_path: Path) -> None:
    """`privacy.redact: false` means the spool too."""
    (tmp_path / "config.yaml").write_text("privacy: {redact: false}\n")
    assert bytes(_kept(tmp_path, b'{"note": "password: hunter22"}').payload) == (
        b'{"note": "password: hunter22"}'
    )


@pytest.mark.parametrize(
    "settings", ["privacy: {patterns: ['(']}\n", "privacy: {patterns: 1}\n", "no settings"]
)
def test_while_the_settings_cannot_be_read_nothing_is_spooled(
    tmp_path: Path, settings: str
) -> None:
    """Nobody knows what its owner calls a secret."""
    (tmp_path / "config.yaml").write_text(settings)
    take_over(str(tmp_path), "claude-code", "Stop", S, PAYLOAD)
    assert Spool(tmp_path).files() == []
    assert Spool(tmp_path).state().lost == 1


@pytest.mark.parametrize("told", [b"", b"[1]", b'"text"', b"{", b'{"a": ' * 300, b"\xff"])
def test_what_is_no_json_object_is_not_spooled(tmp_path: Path, told: bytes) -> None:
    """Half a secret could be in it that nobody recognizes."""
    assert keep(tmp_path, "claude-code", "Stop", S, told) is None
    assert Spool(tmp_path).state().lost == 1


def test_a_home_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    """It was removed between the hook and the process that spools."""
    take_over(str(tmp_path / "gone"), "claude-code", "Stop", S, PAYLOAD)
    assert not (tmp_path / "gone").exists()


def test_a_spool_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """Of the process that spools; the hook has ended long ago."""
    (tmp_path / "spool").write_text("")
    with pytest.raises(StoreError):
        keep(tmp_path, "claude-code", "Stop", S, PAYLOAD)


def test_a_file_that_is_no_event_is_not_read(tmp_path: Path) -> None:
    """Nor one that is linked from elsewhere."""
    spool = Spool(tmp_path)
    path = spool.add(event(1), S, HookSettings())
    assert path is not None
    link = path.with_name("00000000000000000009-ab.json")
    link.symlink_to(path)
    with pytest.raises(OSError, match="symbolic"):
        spool.read(link)
    path.write_text("{}")
    with pytest.raises(ValueError, match="missing required"):
        spool.read(path)
    spool.set_aside(path)
    assert spool.state().aside == [path.name]


@pytest.mark.parametrize("line", [b"", b"\0" * 25, b"soon full"], ids=["empty", "zeros", "words"])
def test_a_count_that_a_power_cut_damaged_is_told_as_far_as_it_goes(
    tmp_path: Path, line: bytes
) -> None:
    """The lines are not synced: a file may have its length back and not its bytes."""
    spool = Spool(tmp_path)
    spool.lose("full")
    with (spool.folder / LOST).open("ab") as file:
        file.write(line + b"\n")
    spool.lose("full")
    assert spool.state().lost == 2


def test_a_file_with_the_name_of_no_event_does_not_hide_what_waits(tmp_path: Path) -> None:
    """Whoever put it there: it is set aside when the spool is drained."""
    spool = Spool(tmp_path)
    spool.add(event(1), 1 * S, HookSettings())
    (spool.folder / "0 x-y.json").write_text("{}", "utf-8")
    state = spool.state()
    assert (state.events, state.oldest_at) == (2, 1_000)
