"""What people read where a message could not be answered. The message is kept in any case."""

from __future__ import annotations

import msgspec

from recollect.core.errors import RecollectError
from recollect.respond.reply import Reply

_KEPT = "Your message is kept."


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a message has no answer.

    Attributes:
        text: The line to show.
        code: Stable, that of the error.
        hint: What to do about it.
    """

    text: str
    code: str
    hint: str


NO_MODEL = Failure(
    text=f"I have no language model to answer with. {_KEPT}",
    code="model_missing",
    hint="set language.provider, and add respond to language.uses",
)
EMPTY = Failure(
    text=f"The language model returned an empty answer. {_KEPT}",
    code="answer_unusable",
    hint="try again: send it once more",
)
BROKEN = Failure(
    text=f"Something unexpected went wrong. {_KEPT}",
    code=RecollectError.code,
    hint="read the log, and report it",
)
INTERRUPTED = Failure(
    text="The command was interrupted, and may not have run.",
    code="interrupted",
    hint="try again: send it once more",
)


def failure_of(error: RecollectError) -> Failure:
    """Return what people read of an error."""
    text = f"I could not answer: {error.message}. {_KEPT}"
    return Failure(text=text, code=error.code, hint=error.hint or "try again: send it once more")


def stored_failure(code: str | None) -> Failure:
    """Return what people read of a failure of which only the code is stored."""
    known = {each.code: each for each in (NO_MODEL, INTERRUPTED)}
    return known.get(code or "") or Failure(
        text=f"I could not answer. {_KEPT}",
        code=code or RecollectError.code,
        hint="try again: send it once more",
    )


def with_failure(reply: Reply, failure: Failure) -> Reply:
    """Return a reply that says why it failed."""
    return msgspec.structs.replace(
        reply, status="failed", text=failure.text, code=failure.code, hint=failure.hint
    )
