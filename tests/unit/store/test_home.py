"""The id of a home, in each of its databases."""

from __future__ import annotations

from pathlib import Path

from recollect.core.clock import SystemClock
from recollect.core.settings import StoreSettings
from recollect.store.sqlite.database import open_index, open_records
from recollect.store.sqlite.home import find_home_id, set_home_id


def test_an_index_has_the_id_of_a_home_when_it_was_given_one(tmp_path: Path) -> None:
    """Records are born with theirs; an index belongs to nobody at first, and may change hands."""
    records = open_records(tmp_path, StoreSettings(), SystemClock())
    index = open_index(tmp_path, StoreSettings(), SystemClock())
    assert records.read(find_home_id)
    assert index.read(find_home_id) is None
    for home_id in ("first", "second"):
        index.write(lambda tx, home_id=home_id: set_home_id(tx, home_id))  # type: ignore[misc]  # bound at once
        assert index.read(find_home_id) == home_id
    index.close()
    records.close()
