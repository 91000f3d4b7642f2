"""Secrets below the telling name of a column."""

from __future__ import annotations

import pytest

from recollect.text.redaction import redact


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_what_is_below_a_telling_name_goes(sign: str) -> None:
    """In each row, and nothing of the columns beside it."""
    table = "user,password,role\nann,{},admin\nbo,{},reader\n".replace(",", sign)
    redacted = redact(table.format("sunset", "moon rise"))
    assert redacted.text == table.format(*[each.mark for each in redacted.findings])
    assert len(redacted.findings) == 2


def test_a_quoted_cell_goes_without_its_quotes() -> None:
    """A comma within it parts nothing."""
    redacted = redact('name,secret\nann,"sun,set"\n')
    assert redacted.text == f'name,secret\nann,"{redacted.findings[0].mark}"\n'


@pytest.mark.parametrize(
    "text",
    [
        "user,password\n",
        "user,password\nann,\nbo,****\n",
        "Enter user, password, role\nthen go on, please, to the end\n",
        "user,password\n\nann,sunset\n",
        "user,role\nann,admin\n",
    ],
)
def test_other_lines_with_commas_stay(text: str) -> None:
    """Headers without rows, fillers, prose, and names that tell nothing."""
    assert redact(text).text == text


def test_a_table_of_the_shell_of_a_database_is_read_by_column() -> None:
    """As psql and mysql draw it; its other columns stay."""
    for text in (
        " user | password\n------+----------\n ann  | sunset\n bob  | moonrise\n(2 rows)",
        "+------+----------+\n| user | password |\n+------+----------+\n| ann  | sunset   |\n"
        "| bob  | moonrise |\n+------+----------+",
    ):
        out = redact(text).text
        assert "sunset" not in out
        assert "moonrise" not in out
        assert "ann" in out
    for text in (
        " user | passwords\n------+----------\n ann  |         2\n(1 row)",
        " password \n---+---",
        " user | password\n------+----------\nno row has a bar",
    ):
        assert redact(text).text == text
