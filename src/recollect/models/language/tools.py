"""Calls of tools by a model: a call becomes an outcome, whatever the model writes."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import RecollectError
from recollect.models.language.model import Toolbox, ToolOutcome

MOST_ROUNDS = 8
"""Rounds of tools before a model must answer: three tools answer a question in one or two."""


class FunctionCall(msgspec.Struct, kw_only=True):
    """A call that a model asks for; in a stream it grows.

    Attributes:
        id: The provider's id of the call.
        name: The tool.
        arguments: JSON, as the model wrote it.
    """

    id: str
    name: str
    arguments: str = ""

    @property
    def decoded(self) -> dict[str, object] | None:
        """Return the arguments; None if they are not a JSON object. No text means none."""
        try:
            return decode_json(self.arguments.strip() or "{}", dict[str, object])
        except (msgspec.MsgspecError, UnicodeEncodeError):
            return None


class ToolRound(msgspec.Struct, frozen=True, kw_only=True):
    """What a model wrote and thought before it called tools, its calls, the outcome of each."""

    text: str
    calls: tuple[FunctionCall, ...]
    outcomes: tuple[ToolOutcome, ...]
    thoughts: tuple[Mapping[str, str], ...] = ()


def call_tool(toolbox: Toolbox, name: object, arguments: object) -> ToolOutcome:
    """Return the outcome of a call; invented tools, bad arguments and failures are errors in it."""
    names = [spec.name for spec in toolbox.specs]
    if not isinstance(name, str) or name not in names:
        return ToolOutcome(f"This tool does not exist. Use {' or '.join(names)}.", is_error=True)
    if not isinstance(arguments, dict):
        return ToolOutcome("The arguments are not a JSON object.", is_error=True)
    try:
        return toolbox.call(name, arguments)
    except RecollectError as error:
        return ToolOutcome(f"{error.message}. {error.hint}".strip(), is_error=True)
