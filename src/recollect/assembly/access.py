"""Who may call: the tokens of a home."""

from __future__ import annotations

from recollect.assembly.resources import Resources
from recollect.core.errors import Denied
from recollect.core.scope import Scope
from recollect.governance.token_file import TokenFile
from recollect.governance.tokens import Tokens
from recollect.sessions.record.draft import DraftMaker


def tokens_of(resources: Resources) -> Tokens:
    """Return the tokens of a home.

    Raises:
        Denied: the memory is narrowed to a part of the home, or of another tenant.
    """
    if resources.scope != Scope():
        raise Denied(
            "tokens are the home's", hint="ask the memory that nothing narrows: leave the scope out"
        )
    drafts = DraftMaker(resources.clock, resources.ids, resources.redactor)
    file = TokenFile(resources.home)
    return Tokens(resources.records, file, resources.clock, resources.ids, drafts)
