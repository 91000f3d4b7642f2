"""Estimates what each use of a language model takes in a day, from the rows of the last days.

Answers to messages depend on how much somebody talks: they are what they took in those days.

No model is called and nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import LiteralString, get_args

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.clock import DAY_MS, to_datetime
from recollect.core.settings import LanguageSettings
from recollect.core.settings.tree import LanguageUse
from recollect.knowledge.model_answers import MOST_CHARS, READ_AT_ONCE
from recollect.models.prices import Price
from recollect.observations.digest import DIGESTED_AT_ONCE, INPUT_CHARS, READ_BY_MODEL
from recollect.sessions.context.summary import MOST_PARTS, PART_TOKENS
from recollect.store.columns import integer
from recollect.store.engine import Database, Transaction
from recollect.store.usage_ledger import spending_of

DAYS = 7
"""Days that are read: a week has every kind of day."""
_NOTES = 200
"""Approximate tokens of the notes of one flush: ten lines."""
_PER_OBSERVATION = 100
"""Tokens of one observation besides its input: its share of the instructions, marks, files."""
_ANSWERED = 60
"""Tokens of a title with a summary."""
_PER_CALL = 400
"""Tokens of the instructions that find facts, with their schema."""
_STATED = 15
"""Tokens of the facts of a message: one in four states one of 60."""

_COMPACTED: LiteralString = """
    SELECT coalesce(sum(tokens_before), 0), coalesce(sum(length(summary)) / 4, 0), count(*)
    FROM compactions WHERE tenant = ? AND created_at >= ?
"""
_OBSERVED: LiteralString = """
    SELECT coalesce(sum(min(length(input), ?) / 4), 0), count(*)
    FROM observations WHERE tenant = ? AND created_at >= ?
        AND trust IN (SELECT value FROM json_each(?))
"""
_NEW: LiteralString = """
    SELECT coalesce(sum(min(length(text), ?) / 4), 0), count(*)
    FROM messages WHERE tenant = ? AND created_at >= ? AND role IN ('user', 'assistant')
"""
_SAID: LiteralString = """
    SELECT coalesce(sum(min(said, ?)), 0), count(*) FROM (
        SELECT sum(m.token_estimate) AS said FROM sessions s JOIN messages m ON m.session_id = s.id
        WHERE s.tenant = ? AND s.updated_at >= ? AND m.role IN ('user', 'assistant') GROUP BY s.id)
"""


class UsePreview(msgspec.Struct, frozen=True, kw_only=True):
    """The estimate of one use for a day.

    Attributes:
        use: One of ``language.uses``.
        is_named: Whether the settings enable it.
        calls: Calls a day, on average of the last days.
        tokens: Tokens read and written a day.
        usd: Their cost; 0 where it is free, None where the price is unknown.
        limit: Tokens a day at most, by ``language.budgets``; with 0 only that of the day counts.
    """

    use: str
    is_named: bool
    calls: float
    tokens: int
    usd: float | None
    limit: int


def preview_uses(
    records: Database,
    tenant: str,
    settings: LanguageSettings,
    *,
    now_ms: int,
    episode_tokens: int,
    price: Price | None,
) -> list[UsePreview]:
    """Return the estimate of every use for a day like those of the last `DAYS` days.

    Args:
        records: ``records.db``.
        tenant: Of the rows.
        settings: The enabled uses, and their budgets.
        now_ms: The time.
        episode_tokens: Longest summary of a session.
        price: Of the model; None where it is not known.
    """
    since = now_ms - DAYS * DAY_MS
    totals = records.read(lambda tx: _taken(tx, tenant, since, episode_tokens))
    totals["respond"] = _spent(records, since, now_ms)
    limits: Mapping[str, int] = msgspec.structs.asdict(settings.budgets)
    return [
        UsePreview(
            use=use,
            is_named=use in settings.uses,
            calls=round(totals[use][0] / DAYS, 1),
            tokens=totals[use][1].total // DAYS,
            usd=None if price is None else price.usd(totals[use][1]) / DAYS,
            limit=limits[use],
        )
        for use in get_args(LanguageUse)
    ]


def _taken(
    tx: Transaction, tenant: str, since: int, episode_tokens: int
) -> dict[str, tuple[int, TokenUse]]:
    """Return the calls and the tokens of all days in total, by use."""
    input_tokens, output_tokens, compactions = _numbers(tx, _COMPACTED, tenant, since)
    trusts = msgspec.json.encode(READ_BY_MODEL).decode()
    inputs, observed = _numbers(tx, _OBSERVED, INPUT_CHARS, tenant, since, trusts)
    episode_input, sessions = _numbers(tx, _SAID, PART_TOKENS * MOST_PARTS, tenant, since)
    digest = TokenUse(input=inputs + observed * _PER_OBSERVATION, output=observed * _ANSWERED)
    fact_input, messages = _numbers(tx, _NEW, MOST_CHARS, tenant, since)
    calls = -(-messages // READ_AT_ONCE)
    extraction = TokenUse(input=fact_input + calls * _PER_CALL, output=messages * _STATED)
    return {
        "compaction": (compactions, TokenUse(input=input_tokens, output=output_tokens)),
        "flush": (compactions, TokenUse(input=input_tokens, output=compactions * _NOTES)),
        "observations": (-(-observed // DIGESTED_AT_ONCE), digest),
        "episodes": (sessions, TokenUse(input=episode_input, output=sessions * episode_tokens)),
        "facts": (calls, extraction),
    }


def _spent(records: Database, since: int, now_ms: int) -> tuple[int, TokenUse]:
    """Return the calls and the tokens of answers to messages."""
    first, last = (to_datetime(at_ms).date().isoformat() for at_ms in (since, now_ms))
    spending = [each for each in spending_of(records, first, last) if each.purpose == "respond"]
    use = sum((each.use for each in spending), TokenUse())
    return sum(each.requests for each in spending), use


def _numbers(tx: Transaction, sql: LiteralString, *params: str | int) -> list[int]:
    return [integer(value) for value in tx.row(sql, params) or ()]
