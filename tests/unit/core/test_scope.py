"""Scope values."""

from __future__ import annotations

import pytest

from recollect.core.scope import LOCAL_TENANT, Scope


def test_a_scope_is_of_the_local_tenant_unless_told_otherwise() -> None:
    """A home serves one person; nothing else is narrowed."""
    scope = Scope()
    assert scope.tenant == LOCAL_TENANT
    assert [scope.agent, scope.user, scope.project, scope.session] == [None] * 4


def test_a_scope_cannot_be_changed() -> None:
    """It is handed through all floors and must say the same on each."""
    with pytest.raises(AttributeError):
        Scope().tenant = "other"  # type: ignore[misc]  # the test is that this fails
