"""What a sync or reindex will take: shown with ``--dry-run``, and before a paid provider begins."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.index.build.preview import Preview
    from recollect.memory import Memory


def show_preview(found: Preview) -> None:
    """Print what would be done, and what it costs."""
    from recollect.cli.output.formatting import count
    from recollect.cli.output.screen import show, show_pairs, warn

    show(("nothing was changed", "bold green"), (": this is what would be done", ""))
    pairs = [
        ("read", f"{count(found.documents, 'document')}, {count(found.chunks, 'chunk')}"),
        ("embed", _texts(found)),
        ("cost", _cost(found)),
    ]
    if found.rebuild:
        pairs.insert(0, ("rebuild", f"everything is rebuilt: {found.rebuild}"))
    show_pairs(pairs)
    if found.consent_needed:
        warn(found.consent_needed)


def agree(memory: Memory, *, reindex: bool, yes: bool, as_json: bool) -> bool:
    """Return whether everything is to be rebuilt because the user agreed to pay for it.

    Does not ask when nothing is billed, or when every vector is there already.

    Args:
        memory: Whose index.
        reindex: Whether everything is to be rebuilt in any case.
        yes: It was agreed on the command line.
        as_json: A program reads the answer, so there is no one to ask.

    Raises:
        InvalidInput: there is no one to ask, or they declined.
    """
    if not memory.needs_confirmation(reindex=reindex):
        return reindex
    found = memory.preview(reindex=True)
    if found.texts and not yes:
        _ask(found, as_json=as_json)
    return True


def _ask(found: Preview, *, as_json: bool) -> None:
    import typer

    offer = f"{found.model} would embed {_texts(found)}: {_cost(found)}"
    if as_json or not sys.stdin.isatty():
        raise InvalidInput(
            f"{offer}; that needs your agreement",
            hint="add --yes to agree; --dry-run shows the figures",
        )
    if not typer.confirm(f"{offer}. Go on?", err=True):
        raise InvalidInput("nothing was sent", hint="the old index goes on answering")


def _texts(found: Preview) -> str:
    from recollect.cli.output.formatting import count

    if found.model is None:
        return "nothing: words only"
    if not found.texts:
        return "nothing: every vector is in the cache"
    return f"{count(found.texts, 'text')}, about {count(found.tokens, 'token')}, {found.model}"


def _cost(found: Preview) -> str:
    if not found.is_paid:
        return "nothing: it is not billed"
    price = "unknown price" if found.usd is None else _dollars(found.usd)
    left = found.tokens_left_today
    if left is None or left >= found.tokens:
        return price
    return f"{price}; today's limit allows {left:,} tokens more, the rest follows day by day"


def _dollars(usd: float) -> str:
    return f"about {usd:,.2f} USD" if usd >= 0.01 or not usd else "less than 0.01 USD"
