"""JSON of a certain type: the schema that is asked for, and what is taken for an answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.bill import TokenUse
from recollect.core.errors import AnswerUnusable, InvalidInput
from recollect.models.language.model import Completion, Prompt, ask
from recollect.models.language.structured_output import bare_json, complete_as, schema_of
from recollect.models.language.wires import strict_schema


class Tag(msgspec.Struct, frozen=True):
    """A part of it."""

    name: str
    default: str = "x"


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for."""

    text: str
    kind: Literal["event", "preference"] = "event"
    importance: Annotated[int, msgspec.Meta(ge=1, le=10)] = 5
    tags: list[Tag] = []


class Scripted:
    """A model that says what it was given; its price is not known at first."""

    name = "scripted"
    is_remote = False

    def __init__(self, *says: str) -> None:
        self.says = list(says)
        self.asked: list[Prompt] = []

    def complete(self, prompt: Prompt) -> Completion:
        """Return the next text."""
        self.asked.append(prompt)
        usd = None if len(self.says) > 1 else 1.0
        return Completion(
            text=self.says.pop(0), use=TokenUse(output=1), usd=usd, model="scripted", finish="stop"
        )

    def stream(self, *_: object, **__: object) -> Completion:
        """Fail: nothing here streams."""
        raise NotImplementedError

    def close(self) -> None:
        """Do nothing."""


def test_the_schema_has_an_object_at_its_root() -> None:
    """As providers want it; parts stay named."""
    schema = schema_of(Fact)
    assert schema["type"] == "object"
    assert isinstance(schema["$defs"], dict)
    assert list(schema["$defs"]) == ["Tag"]
    assert "$defs" not in schema_of(Tag)


def test_a_strict_schema_leaves_nothing_open() -> None:
    """Also inside, and a property may be called as a word of the schema."""
    schema: dict[str, Any] = strict_schema(schema_of(Fact))
    tag = schema["$defs"]["Tag"]
    assert (tag["required"], tag["additionalProperties"]) == (["name", "default"], False)
    assert schema["required"] == ["text", "kind", "importance", "tags"]
    assert "default" not in schema["properties"]["importance"]
    assert schema["properties"]["importance"]["maximum"] == 10


@pytest.mark.parametrize("shape", [int, dict])
def test_only_structs_can_be_asked_for(shape: type[Any]) -> None:
    """Providers answer with objects."""
    with pytest.raises(InvalidInput):
        schema_of(shape)


def test_what_json_cannot_hold_is_refused() -> None:
    """Before anybody is asked."""

    class Odd(msgspec.Struct):
        value: complex

    with pytest.raises(InvalidInput):
        schema_of(Odd)


@pytest.mark.parametrize(
    "wrong",
    ["no JSON", '{"text": 3}', '{"text": "a", "kind": "other"}', '{"text": "a", "importance": 11}'],
)
def test_constraints_are_checked(wrong: str) -> None:
    """Whatever the provider promised; the second answer counts."""
    model = Scripted(wrong, '{"text": "a", "importance": 10}')
    answer = complete_as(model, ask("which?"), Fact)
    assert (answer.value.importance, answer.is_repaired) == (10, True)
    assert (answer.use.output, answer.usd) == (2, None)
    assert model.asked[1].messages[1].text == wrong


def test_an_empty_answer_can_be_shown_again() -> None:
    """Providers take no empty message."""
    model = Scripted("", "")
    with pytest.raises(AnswerUnusable):
        complete_as(model, ask("which?"), Fact)
    assert all(message.text for message in model.asked[1].messages)


@given(before=st.text(alphabet="abc `\n"), after=st.text(alphabet="abc `\n"))
def test_words_around_an_object_do_no_harm(before: str, after: str) -> None:
    """Fences and politeness."""
    assert bare_json(f'{before}{{"a": {{"b": "}}"}}}}{after}') == '{"a": {"b": "}"}}'
