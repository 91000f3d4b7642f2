"""What a sync or reindex will take: shown with ``--dry-run``, and before a paid provider begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from recollect.cli.invocation import require_agreement
from recollect.cli.output.formatting import count
from recollect.cli.output.screen import show, show_pairs, warn

if TYPE_CHECKING:  # for a name only
    from recollect.index.build.preview import Preview
    from recollect.memory import Memory


def show_preview(found: Preview) -> None:
    """Print what would be done, and what it costs."""
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


def agree(context: typer.Context, memory: Memory, *, reindex: bool, yes: bool) -> bool:
    """Return whether everything is to be rebuilt because the user agreed to pay for it.

    Does not ask when nothing is billed, or when every vector is there already.

    Args:
        context: Of the command.
        memory: Whose index.
        reindex: Whether everything is to be rebuilt in any case.
        yes: It was agreed on the command line.

    Raises:
        InvalidInput: there is no one to ask, or they declined.
    """
    if not memory.needs_confirmation(reindex=reindex):
        return reindex
    found = memory.preview(reindex=True)
    if found.texts and not yes:
        offer = f"{found.model} would embed {_texts(found)}: {_cost(found)}"
        agreement = "add --yes to agree; --dry-run shows the figures"
        require_agreement(
            context,
            offer,
            unasked=(f"{offer}; that needs your agreement", agreement),
            declined=("nothing was sent", "the old index goes on answering"),
        )
    return True


def _texts(found: Preview) -> str:
    if found.model is None:
        return "nothing: words only"
    if not found.texts:
        return "nothing: every vector is in the cache"
    return f"{count(found.texts, 'text')}, about {count(found.tokens, 'token')}, {found.model}"


def _cost(found: Preview) -> str:
    if not found.is_paid:
        return "nothing: it is not billed"
    dollars = found.usd
    if dollars is None:
        price = "unknown price"
    elif dollars >= 0.01 or not dollars:
        price = f"about {dollars:,.2f} USD"
    else:
        price = "less than 0.01 USD"
    left = found.tokens_left_today
    if left is None or left >= found.tokens:
        return price
    return f"{price}; today's limit allows {left:,} tokens more, the rest follows day by day"
