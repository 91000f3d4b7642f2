"""The doctor over HTTP: `recollect doctor` in a process of its own, one at a time.

It reads whole databases, which takes minutes in a large home; in this process it would take the
interpreter from every other request.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import msgspec

from recollect.answers.doctor import DoctorFindings, MendableFindings
from recollect.caller import Caller
from recollect.core.decoding import decode_json
from recollect.core.errors import Conflict, StoreBusy, StoreError
from recollect.core.plan_id import plan_id_of
from recollect.server.route import AnyRoute, Fields, route_of
from recollect.server.worker.daemon import error_in

LONGEST_S = 1_800
"""Until a look is given up."""


class DoctorFields(Fields, frozen=True, kw_only=True):
    """How closely the doctor looks.

    Attributes:
        deep: At every row of the index instead of a sample.
    """

    deep: bool = False


class MendOrder(DoctorFields, frozen=True, kw_only=True):
    """What is to be mended.

    Attributes:
        plan_id: That of the findings to be mended, as the doctor reported it.
    """

    plan_id: str


class Doctor:
    """Looks at the home of a worker, and mends it."""

    def __init__(self) -> None:
        self._turn = threading.Lock()

    def routes(self) -> tuple[AnyRoute, ...]:
        """Return the routes of the doctor."""
        return (
            route_of(self.look, "GET", "/api/doctor", "admin"),
            route_of(self.mend, "POST", "/api/doctor/mends", "admin"),
        )

    def look(self, caller: Caller, fields: DoctorFields) -> MendableFindings:
        """Look for what is wrong in the home, and change nothing.

        Raises:
            Denied: the token is not the operator's of the whole home.
            StoreBusy: a doctor looks already.
        """
        caller.require_operator("home")
        return self._run(caller.memory.home, is_deep=fields.deep)

    def mend(self, caller: Caller, fields: MendOrder) -> MendableFindings:
        """Mend what can be mended without loss, where that is still what the plan said.

        Raises:
            Denied: the token is not the operator's of the whole home.
            Conflict: the findings are others now.
            StoreBusy: a doctor looks already, or another process has a damaged index open.
        """
        caller.require_operator("home")
        home = caller.memory.home
        if self._run(home, is_deep=fields.deep).plan_id != fields.plan_id:
            raise Conflict(
                "the doctor finds something else now", hint="look again, and send its plan_id"
            )
        findings = self._run(home, "--fix", is_deep=fields.deep)
        caller.memory.audit.record("doctor.mend")
        return findings

    def _run(self, home: Path, *options: str, is_deep: bool) -> MendableFindings:
        if not self._turn.acquire(blocking=False):
            raise StoreBusy("a doctor looks already", hint="try again when it is done")
        try:
            return _findings(home, [*options, *(["--deep"] if is_deep else [])])
        finally:
            self._turn.release()


def _findings(home: Path, options: list[str]) -> MendableFindings:
    command = [sys.executable, "-m", "recollect", "--home", os.fspath(home), "--json", "doctor"]
    try:
        ended = subprocess.run(  # noqa: S603  # ourselves, no shell
            [*command, *options],
            cwd=home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise StoreBusy("the doctor did not end", hint="run `recollect doctor`") from error
    try:
        findings = decode_json(ended.stdout, DoctorFindings)
    except msgspec.DecodeError:
        printed = ended.stderr.decode("utf-8", "replace").strip()
        hint = "run `recollect doctor`"
        raise (error_in(printed) or StoreError("the doctor failed", hint=hint)) from None
    return MendableFindings(**msgspec.structs.asdict(findings), plan_id=_plan_id(findings))


def _plan_id(findings: DoctorFindings) -> str:
    """Return what changes with the findings, but not with a number in one."""
    states = [(each.name, each.state) for each in findings.checks if each.state != "ok"]
    return plan_id_of(states)
