"""Where the next records of an import go, and how their seqs move."""

from __future__ import annotations

import msgspec

from recollect.sessions.record.session import Session


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The session that the next records belong to.

    Attributes:
        foreign_id: Its id in the document.
        session: The session here; None where it is left out.
        refused: Why it is left out.
        shifts: Seqs of the document with those here, from each point where the difference changes.
    """

    foreign_id: str
    session: Session | None = None
    refused: str = ""
    shifts: tuple[tuple[int, int], ...] = ()

    def seq(self, old: int) -> int:
        """Return the seq here of the last message up to a seq of the document."""
        shift = next((each for each in reversed(self.shifts) if each[0] <= old), (0, 0))
        following = next((new for other, new in self.shifts if other > old), None)
        seq = old + shift[1] - shift[0]
        return seq if following is None else min(seq, following - 1)

    def shifted(self, old: int, new: int) -> Target:
        """Return the target after a message of the document got a seq here."""
        is_same = self.seq(old) == new
        return self if is_same else msgspec.structs.replace(self, shifts=(*self.shifts, (old, new)))
