"""Freshness: idle and daily limits, whose rule holds, and clocks that go wrong."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.audience.session_key import parse_key
from recollect.core.clock import zone_of
from recollect.core.errors import ConfigError
from recollect.core.settings.sessions import FreshnessSettings
from recollect.sessions.policy.freshness import FreshnessRule, kind_of, local_day, rule_for

MINUTE = 60_000
UTC_ZONE = ZoneInfo("UTC")


def _rule(mode: str, idle: int = 60, hour: int = 4) -> FreshnessRule:
    return FreshnessRule(mode=mode, idle_minutes=idle, daily_hour=hour)  # type: ignore[arg-type]


def _at(*parts: int, zone: ZoneInfo = UTC_ZONE) -> int:
    return int(datetime(*parts, tzinfo=zone).timestamp() * 1000)  # type: ignore[misc,arg-type]


def test_idle_is_fresh_until_the_last_minute_included() -> None:
    """The case idle_exact_boundary_fresh of OpenClaw, and one millisecond later."""
    rule, last = _rule("idle"), 1770717600000
    now = 1770721200000
    assert rule.stale_reason(began=last, last=last, now=now, zone=UTC_ZONE) is None
    assert rule.stale_reason(began=last, last=last, now=now + 1, zone=UTC_ZONE) == "idle"


def test_without_a_limit_everything_is_fresh() -> None:
    """The case none_mode_always_fresh, and an idle limit of 0."""
    for rule in (_rule("none"), _rule("idle", idle=0)):
        assert rule.stale_reason(began=1, last=1769904000000, now=1770724800000) is None


def test_a_session_of_this_day_is_fresh() -> None:
    """The case daily_after_reset: it began a minute after four."""
    rule = _rule("daily")
    began = 1770696060000
    found = rule.stale_reason(began=began, last=began, now=1770764400000, zone=UTC_ZONE)
    assert found is None
    assert rule.oldest_start(1770764400000, UTC_ZONE) == 1770696000000


def test_the_limit_that_was_met_first_is_the_reason() -> None:
    """The case daily_plus_idle_idle_first."""
    rule, at = _rule("both", idle=30), 1770699600000
    assert rule.stale_reason(began=at, last=at, now=1770706800000, zone=UTC_ZONE) == "idle"
    old = 1770690000000
    assert rule.stale_reason(began=old, last=old, now=1770696300000, zone=UTC_ZONE) == "idle"
    assert rule.stale_reason(began=old, last=1770695900000, now=1770696300000) is not None


def test_a_clock_that_was_set_back_makes_nothing_stale() -> None:
    """OpenClaw takes a time in the future for none; a user would lose the conversation at hand."""
    rule = _rule("both", idle=30)
    assert rule.stale_reason(began=10**12, last=10**12 + 5 * MINUTE, now=10**12) is None


def test_a_day_begins_at_the_hour_of_the_user() -> None:
    """In the zone that is named, also where a night has 23 or 25 hours."""
    berlin = ZoneInfo("Europe/Berlin")
    rule = _rule("daily")
    now = _at(2026, 3, 29, 4, 30, zone=berlin)
    assert rule.oldest_start(now, berlin) == _at(2026, 3, 29, 4, 0, zone=berlin)
    before = _at(2026, 3, 29, 1, 59, zone=berlin)
    assert rule.oldest_start(before, berlin) == _at(2026, 3, 28, 4, 0, zone=berlin)


@given(now=st.integers(10**12, 3 * 10**12), hour=st.integers(0, 23))
def test_a_day_is_never_in_the_future_and_never_longer_than_25_hours(now: int, hour: int) -> None:
    """Whatever the hour and the zone."""
    for zone in (UTC_ZONE, ZoneInfo("America/New_York"), ZoneInfo("Asia/Kathmandu")):
        began = _rule("daily", hour=hour).oldest_start(now, zone)
        assert 0 <= now - began <= 25 * 60 * MINUTE


def test_a_channel_wins_over_a_type_and_a_type_over_the_common_rule() -> None:
    """As OpenClaw orders them."""
    settings = FreshnessSettings(
        by_channel=("Telegram=idle:60", "email=none"), by_type=("group=daily:6", "thread=both")
    )
    assert rule_for(settings, parse_key("telegram:42")).idle_minutes == 60
    assert rule_for(settings, parse_key("email:a@b.example")).mode == "none"
    group = rule_for(settings, parse_key("agent:main:slack:group:7"))
    assert (group.mode, group.daily_hour) == ("daily", 6)
    assert rule_for(settings, parse_key("agent:main:slack:channel:7:thread:8")).mode == "both"
    assert rule_for(settings, parse_key("agent:main:telegram:group:7")).idle_minutes == 60
    assert rule_for(settings, parse_key("notes")).mode == "idle"


@pytest.mark.parametrize(
    "written", ["telegram", "x=often", "x=idle:soon", "x=daily:24", "x=none:3"]
)
def test_a_rule_that_is_unclear_is_refused(written: str) -> None:
    """With the option that holds it."""
    with pytest.raises(ConfigError) as caught:
        rule_for(FreshnessSettings(by_channel=(written,)), parse_key("notes"))
    assert caught.value.facts["key"] == "sessions.fresh.by_channel"


@pytest.mark.parametrize(
    ("text", "kind"),
    [("telegram:1", "direct"), ("agent:a:main", "direct"), ("agent:a:slack:room:1", "group")],
)
def test_every_key_is_of_one_kind(text: str, kind: str) -> None:
    """Rooms and channels are groups; what is not known to be one is direct."""
    assert kind_of(parse_key(text)) == kind


def test_a_zone_that_does_not_exist_is_refused() -> None:
    """Before anything is written under a wrong date."""
    with pytest.raises(ConfigError):
        zone_of("Europe/Berlln")
    with pytest.raises(ConfigError):
        zone_of("../../etc/passwd")
    assert zone_of(None) is None
    late = int(datetime(2026, 5, 1, 23, 30, tzinfo=UTC).timestamp() * 1000)
    assert local_day(late, zone_of("Europe/Berlin")) == "2026-05-02"
