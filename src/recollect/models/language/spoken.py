"""The text of an answer as it is given out, piece by piece."""

from __future__ import annotations

from recollect.models.language.model import OnPiece

_OPEN, _CLOSE = "<think>", "</think>"
_BETWEEN = "\n\n"
"""Stands between the texts of two rounds."""


class SpokenText:
    """The text of an answer over all its rounds.

    Args:
        on_piece: Gets the pieces.
    """

    def __init__(self, on_piece: OnPiece) -> None:
        self._on_piece = on_piece
        self._pieces: list[str] = []
        self._is_new_round = False

    @property
    def pieces(self) -> int:
        """Return the number of pieces that were given out."""
        return len(self._pieces)

    @property
    def whole(self) -> str:
        """Return all that was given out."""
        return "".join(self._pieces)

    def begin_round(self) -> None:
        """Set the next piece off from the text of the last round."""
        self._is_new_round = bool(self._pieces)

    def say(self, piece: str) -> None:
        """Give a piece out; an empty one is left out."""
        if not piece:
            return
        if self._is_new_round:
            self._is_new_round = False
            piece = _BETWEEN + piece.lstrip()
        self._pieces.append(piece)
        self._on_piece(piece)


class ThoughtFilter:
    """Leaves the reasoning out that some open models write before the answer."""

    def __init__(self) -> None:
        self._pass = self._at_start
        self._held = ""

    def take(self, piece: str) -> str:
        """Return what of the text so far belongs to the answer and was not returned yet."""
        return self._pass(piece)

    def _at_start(self, piece: str) -> str:
        self._held += piece
        start = self._held.lstrip()
        if start.startswith(_OPEN):
            self._held, self._pass = "", self._in_thought
            return self._pass(start.removeprefix(_OPEN))
        if _OPEN.startswith(start):
            return ""  # it may become a thought
        self._pass = self._in_answer
        return self._held

    def _in_thought(self, piece: str) -> str:
        thought, end, rest = (self._held + piece).partition(_CLOSE)
        if end:
            self._pass = self._after_thought
            return self._pass(rest)
        self._held = thought[-len(_CLOSE) :]
        return ""

    def _after_thought(self, piece: str) -> str:
        rest = piece.lstrip()
        if rest:
            self._pass = self._in_answer
        return rest

    def _in_answer(self, piece: str) -> str:
        return piece
