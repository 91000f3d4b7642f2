"""Counters: short numbers that no two records ever share."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.core.clock import SystemClock
from recollect.core.settings import StoreSettings
from recollect.store.counters import next_number
from recollect.store.engine import Transaction
from recollect.store.sqlite.database import open_records


def test_numbers_count_up_by_tenant_and_kind(tmp_path: Path) -> None:
    """Each kind of each tenant from 1; a unit that is rolled back takes none."""
    records = open_records(tmp_path / "home", StoreSettings(), SystemClock())

    def failing(tx: Transaction) -> None:
        next_number(tx, "local", "observation")
        raise ValueError("undone")

    with pytest.raises(ValueError, match="undone"):
        records.write(failing)
    drawn = records.write(
        lambda tx: [
            next_number(tx, tenant, kind)
            for tenant, kind in (("a", "x"), ("a", "x"), ("a", "y"), ("b", "x"), ("a", "x"))
        ]
    )
    assert drawn == [1, 2, 1, 1, 3]
    assert records.write(lambda tx: next_number(tx, "local", "observation")) == 1
    records.close()
