"""The fast loader of settings says what the other one says, and is left where it would not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.settings.config_file import first_config
from recollect.core.settings.sources import loader_for

_LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=20)
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)


def _marks(node: yaml.Node) -> Iterator[tuple[object, ...]]:
    start, end = node.start_mark, node.end_mark
    yield node.tag, start.index, start.line, start.column, end.index
    if isinstance(node, yaml.MappingNode):
        for pair in node.value:
            yield from (mark for each in pair for mark in _marks(each))
    elif isinstance(node, yaml.SequenceNode):
        yield from (mark for each in node.value for mark in _marks(each))


@given(tree=_TREES, flow=st.booleans())
def test_values_and_positions_are_those_of_the_loader_in_python(tree: object, flow: bool) -> None:
    """`config set` writes where the parser says that a value is."""
    text = (
        f"# ü 😀\n{yaml.safe_dump({'ä': tree}, allow_unicode=True, default_flow_style=flow)}# end\n"
    )
    root = loader_for(text).get_single_node()
    slow = yaml.SafeLoader(text).get_single_node()
    assert root is not None
    assert slow is not None
    assert list(_marks(root)) == list(_marks(slow))
    assert loader_for(text).get_single_data() == yaml.safe_load(text)


def test_the_file_of_init_is_read_by_the_loader_in_c() -> None:
    """Every command reads it."""
    assert isinstance(loader_for(first_config()), yaml.CSafeLoader)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000 + "\n",
        f"{'[' * 60}{']' * 60}\n",
        "\ufeffa: 1\n",
        "a: {b: 1\n",
        "a: 1\n\t\n",
        "? a ",
    ],
    ids=["open", "deep", "mark", "cut off", "tab", "no end"],
)
def test_what_the_loader_in_c_reads_otherwise_is_left_to_the_other_one(text: str) -> None:
    """A deep text would end the process; errors name the lines that people count."""
    assert isinstance(loader_for(text), yaml.SafeLoader)
