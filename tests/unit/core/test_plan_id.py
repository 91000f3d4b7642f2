"""Two plans have one id where they decide the same."""

from __future__ import annotations

import re

from recollect.core.plan_id import plan_id_of


def test_an_id_changes_with_what_is_decided_and_not_with_the_order_of_a_mapping() -> None:
    """A list has an order that means something."""
    plan = {"files": 2, "messages": ["a", "b"]}
    assert plan_id_of(plan) == plan_id_of(dict(reversed(plan.items())))
    others = [plan | {"files": 3}, plan | {"messages": ["b", "a"]}, plan | {"facts": 0}]
    assert len({plan_id_of(each) for each in (plan, *others)}) == 4
    assert re.fullmatch("[0-9a-f]{32}", plan_id_of(plan))
