"""What the doctor found, as HTTP and ``--json`` answer it."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

State: TypeAlias = Literal["ok", "note", "wrong"]


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


class MendableFindings(DoctorFindings, frozen=True, kw_only=True):
    """What the doctor found, and the id under which it may mend that.

    Attributes:
        plan_id: Changes with the findings.
    """

    plan_id: str
