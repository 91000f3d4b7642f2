"""Who may call: the tokens of a home."""

from __future__ import annotations

from recollect.assembly.resources import Resources
from recollect.governance.token_file import TokenFile
from recollect.governance.tokens import Tokens
from recollect.sessions.record.draft import DraftMaker


def tokens_of(resources: Resources) -> Tokens:
    """Return the tokens of a home, which only a memory of the whole home can use."""
    drafts = DraftMaker(resources.clock, resources.ids, resources.redactor)
    file = TokenFile(resources.home)
    return Tokens(resources.records, file, resources.clock, resources.ids, drafts, resources.scope)
