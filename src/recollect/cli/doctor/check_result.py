"""What a check of `recollect doctor` found."""

from __future__ import annotations

from typing import Literal

import msgspec

FIX_HINT = "`recollect doctor --fix`"

State = Literal["ok", "note", "wrong"]


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a check found; ``note`` could be better, ``wrong`` must be repaired."""

    name: str
    state: State
    detail: str
    hint: str = ""


class DoctorFindings(msgspec.Struct, frozen=True, kw_only=True):
    """What the doctor found."""

    healthy: bool
    fixed: list[str]
    checks: list[CheckResult]


def sound(name: str, detail: str) -> CheckResult:
    """Return a result without a problem."""
    return CheckResult(name=name, state="ok", detail=detail)


def note(name: str, detail: str, hint: str = "") -> CheckResult:
    """Return a result with a recommendation."""
    return CheckResult(name=name, state="note", detail=detail, hint=hint)


def wrong(name: str, detail: str, hint: str) -> CheckResult:
    """Return a result with a problem and how to repair it."""
    return CheckResult(name=name, state="wrong", detail=detail, hint=hint)
