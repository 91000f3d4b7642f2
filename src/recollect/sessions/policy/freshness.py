"""Freshness: until when a session is the current one of its key.

A rule is chosen by the channel of the key, then by its kind of chat, then from the common settings.
Nothing ends when a session is no longer fresh: the next message under the key begins another one.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from datetime import timedelta, tzinfo
from typing import Literal, get_args

import msgspec

from recollect.audience.session_key import SessionKey
from recollect.core.clock import MINUTE_MS, to_datetime, to_ms
from recollect.core.errors import ConfigError
from recollect.core.settings.sessions import FreshnessSettings

Mode = Literal["idle", "daily", "both", "none"]
Reason = Literal["idle", "daily"]


class FreshnessRule(msgspec.Struct, frozen=True, kw_only=True):
    """When a session is no longer fresh.

    Attributes:
        mode: Which of the two limits count.
        idle_minutes: Minutes since the last message; 0 is no limit.
        daily_hour: Hour at which a day begins, 0 to 23.
    """

    mode: Mode
    idle_minutes: int
    daily_hour: int

    def oldest_message(self, now: int) -> int:
        """Return the earliest time of the last message of a fresh session, ms UTC."""
        if self.mode in {"daily", "none"} or not self.idle_minutes:
            return 0
        return now - self.idle_minutes * MINUTE_MS

    def oldest_start(self, now: int, zone: tzinfo | None) -> int:
        """Return the beginning of the day of ``now``, ms UTC; 0 if days do not count."""
        if self.mode in {"idle", "none"}:
            return 0
        local = to_datetime(now).astimezone(zone)
        began = local.replace(hour=self.daily_hour, minute=0, second=0, microsecond=0)
        if began > local:
            began -= timedelta(days=1)
        return to_ms(began)

    def stale_reason(
        self, *, began: int, last: int, now: int, zone: tzinfo | None = None
    ) -> Reason | None:
        """Return the limit that a session met first, which ended its freshness; None while fresh.

        Args:
            began: When it was created, ms UTC.
            last: The time of its last message.
            now: The time of the check. A clock that was set back makes nothing stale.
            zone: Of the user; the machine's if not given.
        """
        day = self.oldest_start(now, zone)
        met: dict[Reason, int] = {}
        if last < self.oldest_message(now):
            met["idle"] = last + self.idle_minutes * MINUTE_MS
        if began < day:
            met["daily"] = day
        return min(met.items(), key=operator.itemgetter(1))[0] if met else None


def rule_for(settings: FreshnessSettings, key: SessionKey) -> FreshnessRule:
    """Return the rule of a key: that of its channel, else of its kind of chat, else the common one.

    Raises:
        ConfigError: a rule cannot be understood.
    """
    rules = _rules("by_type", settings.by_type, settings) | _rules(
        "by_channel", settings.by_channel, settings
    )
    common = FreshnessRule(
        mode=settings.mode, idle_minutes=settings.idle_minutes, daily_hour=settings.daily_hour
    )
    kind = ("by_type", kind_of(key))
    return rules.get(("by_channel", key.channel or ""), rules.get(kind, common))


def kind_of(key: SessionKey) -> str:
    """Return ``direct`` (main sessions too), ``group`` (rooms and channels too) or ``thread``."""
    if key.thread is not None or key.chat_type == "thread":
        return "thread"
    return "group" if key.is_group else "direct"


def local_day(now: int, zone: tzinfo | None) -> str:
    """Return the date of a moment in a zone, such as ``2026-11-20``.

    >>> from datetime import UTC
    >>> local_day(1770681600000, UTC)
    '2026-02-10'
    """
    return to_datetime(now).astimezone(zone).date().isoformat()


def _rules(
    option: str, lines: Iterable[str], common: FreshnessSettings
) -> dict[tuple[str, str], FreshnessRule]:
    """Return the rules of ``telegram=idle:60`` and its like, by option and name."""
    rules = {}
    for text in lines:
        name, _, rule = text.partition("=")
        rules[option, name.strip().lower()] = _rule(option, rule.strip(), common)
    return rules


def _rule(option: str, rule: str, common: FreshnessSettings) -> FreshnessRule:
    mode, _, number = rule.partition(":")
    if mode not in get_args(Mode) or (number and not number.isascii()):
        raise _unclear(option)
    idle, hour = common.idle_minutes, common.daily_hour
    if number:
        if not number.isdecimal() or mode not in {"idle", "daily"}:
            raise _unclear(option)
        idle, hour = (int(number), hour) if mode == "idle" else (idle, int(number))
    if hour > 23:
        raise _unclear(option)
    return FreshnessRule(mode=mode, idle_minutes=idle, daily_hour=hour)  # type: ignore[arg-type]  # checked above


def _unclear(option: str) -> ConfigError:
    return ConfigError(
        f"setting sessions.fresh.{option} holds a rule that cannot be understood",
        hint="write telegram=idle:60, email=none or slack=daily:6",
        key=f"sessions.fresh.{option}",
    )
