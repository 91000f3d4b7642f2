"""Doctests: every example in a docstring of the package is run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import recollect

MODULES = [found.name for found in pkgutil.walk_packages(recollect.__path__, "recollect.")]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(".__main__")])
def test_the_examples_of_a_docstring_are_true(name: str) -> None:
    """Docstring examples are the first thing a reader tries."""
    module = importlib.import_module(name)
    outcome = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert outcome.failed == 0
