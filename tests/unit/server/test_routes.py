"""From a path to a use case: addresses, fields and their types."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from recollect.core.errors import Conflict, InvalidInput
from recollect.server.errors import Refused
from recollect.server.request import Reader, Request
from recollect.server.route import Fields, LenientFields, Route
from recollect.server.table import Table
from tests.support.sample_routes import SAMPLES, Asked, Keyed, Plain

PLAIN, QUERY, KEYED = SAMPLES[0], SAMPLES[1], SAMPLES[2]


class Strict(Fields, frozen=True):
    """With a field that must be there, and one with few values."""

    name: str
    kind: str | None = None


class Chosen(Fields, frozen=True):
    """With few values."""

    mode: Literal["a", "b"] = "a"


def _call(_caller: Any, _given: Any) -> None:
    """Never called here."""


def _route(path: str, given: Any = Plain, **fields: Any) -> Route:
    return Route(
        **{"method": "POST", "summary": "x", "right": "read", "answer": None, "call": _call}
        | {"path": path, "fields": given}
        | fields
    )


def _read(route: Any, body: bytes = b"", **request: Any) -> Any:
    given = {"path": {}, "query": b"", "headers": ()} | request
    return Reader(route).read(Request(body=body, **given))


def test_a_field_of_a_path_may_hold_anything() -> None:
    """Keys are percent-encoded: colons, slashes, texts of every script."""
    table = Table(SAMPLES)
    for path, key in {
        "/sample/keyed/agent:main:telegram:42": "agent:main:telegram:42",
        "/sample/keyed/agent%3Amain%2Fx": "agent:main/x",
        "/sample/keyed/%E6%97%A5%20%25": "日 %",
        "/sample/keyed/%FF": "\ufffd",
        "/sample/keyed/": "",
    }.items():
        entry, fields = table.find("PUT", path)
        assert (entry.route, fields) == (KEYED, {"key": key})


@pytest.mark.parametrize(
    "path", ["/sample/keyed", "/sample/keyed/a/b", "/sample", "/sample/plain/"]
)
def test_another_path_is_not_found(path: str) -> None:
    """No redirects, no guessing."""
    with pytest.raises(Refused) as refused:
        Table(SAMPLES).find("PUT", path)
    assert refused.value.rejection.status == 404


def test_a_whole_path_goes_before_one_with_a_field() -> None:
    """``/api/observations/batch`` is no id."""
    batch, one = _route("/x/batch"), _route("/x/{key}", Keyed)
    table = Table([one, batch])
    assert table.find("POST", "/x/batch")[0].route == batch
    assert table.find("POST", "/x/other")[0].route == one


def test_two_routes_of_one_address_are_refused() -> None:
    """Which one would answer?"""
    with pytest.raises(Conflict):
        Table([_route("/x"), _route("/x")])
    with pytest.raises(Conflict):
        Table([_route("/x/{key}", Keyed), _route("/x/{number}", Keyed)])


def test_a_route_names_only_fields_that_it_has() -> None:
    """Seen when the server starts, not with the first request."""
    with pytest.raises(InvalidInput):
        Table([_route("/x/{other}")])
    with pytest.raises(InvalidInput):
        Table([_route("/x", headers={"x-other": "other"})])


def test_fields_come_from_the_body_as_they_are() -> None:
    """A number is no text, and a text no number."""
    body = b'{"text": "5", "number": 5, "tags": ["a"], "any": {"x": [null]}}'
    assert _read(PLAIN, body) == Plain(text="5", number=5, tags=["a"], any={"x": [None]})
    assert _read(PLAIN) == Plain()


def test_fields_come_from_the_query_by_their_types() -> None:
    """There everything is text; a list repeats its name."""
    read = _read(QUERY, query=b"text=%E6%97%A5+x&number=5&tags=a&tags=b")
    assert read == Asked(text="日 x", number=5, tags=["a", "b"])


def test_fields_come_from_path_and_header_too() -> None:
    """The body goes before a header; nothing goes before the path."""
    more = {"path": {"key": "k"}, "headers": [(b"idempotency-key", b"h"), (b"x", b"y")]}
    assert _read(KEYED, b'{"number": 1}', **more) == Keyed(key="k", number=1, idempotency="h")
    assert _read(KEYED, b'{"idempotency": "b"}', **more).idempotency == "b"
    with pytest.raises(InvalidInput, match="must not be in the body"):
        _read(KEYED, b'{"key": "other"}', **more)


def test_a_hook_is_given_path_and_header_too() -> None:
    """What the body says goes before a header there as well."""

    class Hook(LenientFields, frozen=True):
        key: str | None = None
        event: str | None = None

    route = _route("/x/{key}", Hook, headers={"event-id": "event"})
    more = {"path": {"key": "k"}, "headers": [(b"event-id", b"h")]}
    assert _read(route, b"{}", **more) == Hook(key="k", event="h")
    assert _read(route, b'{"event": "b", "key": "z"}', **more) == Hook(key="k", event="b")
    assert _read(route, b"\xff", **more) == Hook(key="k", event="h", unread="\ufffd")


@pytest.mark.parametrize(
    ("route", "request_", "says"),
    [
        (PLAIN, {"body": b'{"secret words": 1}'}, "every field must be one of the route"),
        (PLAIN, {"body": b'{"number": "secret words"}'}, "expected `int | null`, got `str` - at"),
        (PLAIN, {"body": b"[]"}, "expected `object`, got `array`"),
        (PLAIN, {"body": b"{}", "query": b"text=secret"}, "the fields must be in the body"),
        (QUERY, {"query": b"secret=1"}, "every field must be one of the route"),
        (QUERY, {"query": b"number=secret"}, "expected `int | null`, got `str` - at `$.number`"),
        (QUERY, {"query": b"text=secret&text=words"}, "a field must not be given twice"),
        (_route("/x", Strict), {"body": b"{}"}, "object missing required field `name`"),
    ],
)
def test_what_does_not_fit_is_refused_without_the_words_of_the_user(
    route: Any, request_: Any, says: str
) -> None:
    """422, with the fields that there are."""
    with pytest.raises(InvalidInput) as refused:
        _read(route, **request_)
    assert refused.value.message.startswith(says)
    assert "secret" not in f"{refused.value.message} {refused.value.hint}"


def test_a_value_that_is_none_of_a_few_is_not_repeated() -> None:
    """Its own message would quote it."""
    with pytest.raises(InvalidInput) as refused:
        _read(_route("/x", Chosen), b'{"mode": "secret"}')
    assert refused.value.message == "a field must have another value - at `$.mode`"
    assert refused.value.hint == "the fields are mode"


@pytest.mark.parametrize("query", [b"text=%FF", b"text=\xff", b"&".join([b"tags=a"] * 201)])
def test_a_query_that_is_no_text_is_refused(query: bytes) -> None:
    """400, and no more than 200 fields."""
    with pytest.raises(Refused):
        _read(QUERY, query=query)
