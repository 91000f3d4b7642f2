"""`recollect sync --watch`: tells what each sync in the background did, until it is stopped."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from recollect.cli.document import print_document

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Memory
    from recollect.recall.upkeep import Synced


def watch(memory: Memory, *, as_json: bool) -> None:
    """Run until Ctrl-C; one line, or with JSON one document, for each sync that did something.

    Raises:
        InvalidInput: watching is turned off.
        StoreBusy: another program does it already.
    """
    syncs = memory.watch()
    if not as_json:
        _tell_start(memory)
    with suppress(KeyboardInterrupt):
        for synced in syncs:
            if as_json:
                print_document(msgspec.to_builtins(synced))
            else:
                _tell(synced)


def _tell_start(memory: Memory) -> None:
    from recollect.cli.screen import say

    where = memory.workspace or "the extra paths"
    say((f"watching {where}; Ctrl-C ends it", "dim"))


def _tell(synced: Synced) -> None:
    from recollect.cli.screen import say, warn

    report, reason = synced.report, synced.last.reason or ""
    if synced.last.error is not None:
        warn(f"{reason}: failed, {synced.last.error}; it is tried again")
        return
    say((f"{reason}: ", "bold"), (", ".join(_counts(synced)), ""))
    for warning in report.warnings:
        warn(warning)


def _counts(synced: Synced) -> list[str]:
    from recollect.cli.figures import count

    report = synced.report
    counts = [
        (count(synced.messages, "message"), synced.messages),
        (count(report.put, "document"), report.put),
        (count(report.vectors, "vector"), report.vectors),
        (f"{count(report.removed, 'document')} removed", report.removed),
    ]
    return [text for text, number in counts if number]
