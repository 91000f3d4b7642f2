"""A table in a TOML file of another program, which rewrites that file as it likes."""

from __future__ import annotations

import tomllib

import pytest

from recollect.core.errors import InvalidInput
from recollect.integrations.toml_tables import TomlTable, with_table, without_table

OURS = """\
[mcp_servers.recollect]
command = "/usr/bin/python3"
args = ["-m", "recollect", "mcp"]
"""
MINE = """\
# how I like it
model = "gpt-5.5"  # not the small one
notify = [
  "say",
  # [not.a.header]
]

[projects."/home/ada/shop"]
trust_level = "trusted"
prompt = '''
[mcp_servers.recollect]
not = "a table"
'''

[[rules]]
name = "[x]"

# the other server
[mcp_servers.other]
command = "other"
"""


@pytest.mark.parametrize(
    "before",
    ["", "\n", "# only this\n", 'a = "b"', MINE, MINE.replace("\n", "\r\n"), MINE.rstrip("\n")],
    ids=["empty", "blank", "comment", "no end of line", "much", "windows", "much, cut"],
)
def test_what_was_put_in_and_taken_out_leaves_every_byte_as_it_was(before: str) -> None:
    """A user's settings are the user's."""
    after, table = with_table(before, OURS)
    assert tomllib.loads(after)["mcp_servers"]["recollect"]["command"] == "/usr/bin/python3"
    assert without_table(after, table) == before


def test_what_codex_wrote_behind_our_table_stays() -> None:
    """Measured with Codex 0.169: trust in a hook and a server of the user come right behind."""
    after, table = with_table('model = "x"\n', f"{OURS}\n[mcp_servers.recollect.tools.a]\nb = 1")
    theirs = (
        '\n[mcp_servers.mine]\ncommand = "/bin/true"\n\n[hooks.state]\n'
        '\n[hooks.state."/home/ada/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:0"\n'
    )
    assert without_table(after + theirs, table) == 'model = "x"\n' + theirs


def test_a_comment_before_the_next_table_belongs_to_that() -> None:
    """It was there for a reason."""
    after, table = with_table('model = "x"', OURS)
    assert without_table(f"{after}# why\n[more]\n", table) == 'model = "x"\n\n# why\n[more]\n'


def test_a_table_that_went_is_nothing_to_take_out() -> None:
    """The user was faster."""
    assert without_table(MINE, TomlTable(path=("mcp_servers", "recollect"))) == MINE


def test_a_table_of_another_with_our_name_is_not_replaced() -> None:
    """It may be the user's own entry, with options."""
    with pytest.raises(InvalidInput, match=r"no table \[mcp_servers.recollect\] of its own"):
        with_table(OURS, OURS)


@pytest.mark.parametrize(
    "text",
    ["mcp_servers = { mine = { command = 1 } }\n", "mcp_servers = 3\n"],
    ids=["inline", "no table"],
)
def test_a_file_that_cannot_take_a_table_is_refused(text: str) -> None:
    """TOML cannot add to an inline table; the file stays as it is."""
    with pytest.raises(InvalidInput, match="must stand by itself"):
        with_table(text, OURS)


def test_our_table_rewritten_inline_is_refused_rather_than_cut() -> None:
    """To take it out of one line is not safe as text: the user is told."""
    inline = 'mcp_servers = { recollect = { command = "x" }, mine = { command = "y" } }\n'
    with pytest.raises(InvalidInput, match="must stand by itself"):
        without_table(inline, TomlTable(path=("mcp_servers", "recollect")))


def test_what_is_no_toml_is_refused() -> None:
    """Nothing is written into a file that its program cannot read."""
    with pytest.raises(InvalidInput, match="must hold TOML"):
        with_table("model = \n", OURS)
    with pytest.raises(InvalidInput, match="must hold TOML"):
        without_table("model = \n", TomlTable(path=("a",)))


def test_a_number_of_too_many_digits_is_told_as_what_the_file_must_be() -> None:
    """The reader refuses it with an error of its own kind."""
    with pytest.raises(InvalidInput, match="must hold TOML"):
        with_table(f"model = {'9' * 5_000}\n", OURS)
