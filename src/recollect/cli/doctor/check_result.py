"""Makes the results of the checks of `recollect doctor`."""

from __future__ import annotations

from recollect.answers.doctor import CheckResult

FIX_HINT = "`recollect doctor --fix`"


def sound(name: str, detail: str) -> CheckResult:
    """Return a result without a problem."""
    return CheckResult(name=name, state="ok", detail=detail)


def note(name: str, detail: str, hint: str = "") -> CheckResult:
    """Return a result with a recommendation."""
    return CheckResult(name=name, state="note", detail=detail, hint=hint)


def wrong(name: str, detail: str, hint: str) -> CheckResult:
    """Return a result with a problem and how to repair it."""
    return CheckResult(name=name, state="wrong", detail=detail, hint=hint)
