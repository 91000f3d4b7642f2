"""Secrets among the values of statements."""

from __future__ import annotations

from recollect.text.redaction import redact


def test_the_telling_columns_of_every_row_go() -> None:
    """Also behind calls and quotes that are doubled, and on lines of their own."""
    text = (
        "INSERT INTO users (id, login, password, made) VALUES\n"
        " (1, 'it''s, ann', 'blue sunset', now()),\n"
        " (2, 'bob', 'moon''s rise', coalesce(a, b));"
    )
    out = redact(text).text
    assert "sunset" not in out
    assert "rise" not in out
    assert "it''s, ann" in out
    assert "'bob'" in out


def test_columns_that_do_not_tell_stay() -> None:
    """And so do tokens that are words, placeholders, and columns of other tables."""
    for text in (
        "INSERT INTO users (id, login) VALUES (1, 'ann')",
        "INSERT INTO users (id, password) VALUES (1, '?')",
        "INSERT INTO users (id, password) VALUES (1, $2)",
        "INSERT INTO words (id, token) VALUES (1, 'the')",
        "INSERT INTO users (id, password)",
        "INSERT INTO users (id, password) VALUES (1, 'open",
    ):
        assert redact(text).text == text
