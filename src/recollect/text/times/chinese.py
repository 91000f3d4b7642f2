"""Chinese words of time, in simplified and traditional characters."""

from __future__ import annotations

from recollect.text.times.words import (
    EVENING_HOURS,
    MORNING_HOURS,
    NIGHT_HOURS,
    NOON_HOURS,
    Table,
)

_WEEK = ("周", "週", "星期", "礼拜", "禮拜")
_DAYS = (*enumerate("一二三四五六日"), (6, "天"))
_SHIFTS = {"上": -1, "上个": -1, "上個": -1, "上上": -2, "这": 0, "這": 0, "这个": 0, "這個": 0}
_LATER = {"本": 0, "下": 1, "下个": 1, "下個": 1}
_WEEKS = {shift + week: ("week", by) for shift, by in (_SHIFTS | _LATER).items() for week in _WEEK}

TABLE: Table = {
    "X": {week + day: number for week in _WEEK for number, day in _DAYS},
    "V": {week + day: (by, number) for week, (_, by) in _WEEKS.items() for number, day in _DAYS},
    "J": {
        **_WEEKS,
        **{
            shift + unit: (kind, by)
            for shift, by in (_SHIFTS | _LATER).items()
            for unit, kind in (("月", "month"), ("周末", "weekend"), ("週末", "weekend"))
        },
        "今年": ("year", 0),
        "去年": ("year", -1),
        "前年": ("year", -2),
        "明年": ("year", 1),
    },
    "D": {"今天": 0, "昨天": -1, "昨日": -1, "前天": -2, "明天": 1},
    "T": {"今早": (MORNING_HOURS, 0), "昨晚": (NIGHT_HOURS, -1), "今晚": (NIGHT_HOURS, 0)},
    "R": {"最近": -1, "过去": -1, "過去": -1},
    "U": {
        **dict.fromkeys(("天", "日"), "day"),
        **dict.fromkeys((*_WEEK, *(f"个{w}" for w in _WEEK), *(f"個{w}" for w in _WEEK)), "week"),
        **dict.fromkeys(("个月", "個月"), "month"),
        **dict.fromkeys(("小时", "小時", "个小时", "個小時"), "hour"),
        "年": "year",
        "分钟": "minute",
        "分鐘": "minute",
    },
    "P": {
        **dict.fromkeys(("早上", "上午", "早晨"), MORNING_HOURS),
        **dict.fromkeys(("下午", "中午"), NOON_HOURS),
        **dict.fromkeys(("晚上", "傍晚"), EVENING_HOURS),
        "夜里": NIGHT_HOURS,
    },
    "K": {"春天": 3, "夏天": 6, "秋天": 9, "冬天": 12},
    "N": {"两": 2, "兩": 2, "几": 3},
    "A": {"前": None, "之前": None, "以前": None},
    "F": {"的": None},
    "S": {"自从": None, "自從": None},
    "s": {"以来": None, "以來": None},
    "e": {"每": None, "每个": None, "每個": None},
}
