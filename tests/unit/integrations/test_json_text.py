"""JSON files of other programs are changed in their text, and changed back to the same bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import InvalidInput
from recollect.integrations.json_text import (
    JsonEntry,
    object_of,
    with_entries,
    without_steps,
)

_KEYS = st.sampled_from(["hooks", "mcpServers", "recollect", "a", "ü", 'q"uote', ""])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)
_FILLED = _VALUES.filter(lambda value: value not in ({}, []))
_DOCUMENTS = st.dictionaries(_KEYS, _VALUES, max_size=4)
_ENTRIES = st.lists(
    st.builds(
        JsonEntry,
        path=st.lists(_KEYS, min_size=1, max_size=3).map(tuple),
        value=_FILLED,
        is_item=st.booleans(),
        gives_way=st.booleans(),
    ),
    max_size=4,
)


@st.composite
def _texts(draw: st.DrawFn) -> str:
    """Return a JSON object as different programs and people write it."""
    document = draw(_DOCUMENTS)
    indent = draw(st.sampled_from([None, 0, 2, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":"), (" ,  ", " : ")]))
    text = json.dumps(
        document, indent=indent, separators=separators, ensure_ascii=draw(st.booleans())
    )
    text = draw(st.sampled_from([text, text + "\n", f"\n {text}\n\n"]))
    if indent is not None:
        text = draw(st.sampled_from([text, _commented(text)]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def _commented(text: str) -> str:
    """Return a text with a comment at the end of each line, and a comma after each last item."""
    lines = text.split("\n")
    after = [line.strip()[:1] for line in lines[1:]] + [""]
    open_ends = ("{", "[", ",", "")
    return "\n".join(
        f"{line}{',' if end in set('}]') and not line.strip().endswith(open_ends[:3]) else ''}"
        f"{' // one, {two' if line.strip() else ''}"
        for line, end in zip(lines, after, strict=True)
    )


def _installed(text: str, entries: list[JsonEntry]) -> tuple[str, Any] | None:
    try:
        return with_entries(text, entries)
    except InvalidInput:  # a text is where a container must be
        return None


@given(_texts(), _ENTRIES)
def test_what_was_put_in_comes_out_to_the_same_bytes(text: str, entries: list[JsonEntry]) -> None:
    """The step's promise: removal is the identity on any settings file."""
    done = _installed(text, entries)
    if done is not None:
        assert without_steps(done[0], done[1]) == text


@given(_texts(), _ENTRIES)
def test_every_entry_is_there_afterwards_and_a_second_time_changes_nothing(
    text: str, entries: list[JsonEntry]
) -> None:
    """What was asked for is what the client reads; entries that overwrite each other aside."""
    done = _installed(text, entries[:1])
    if done is None:
        return
    assert with_entries(done[0], entries[:1]) == (done[0], ())
    for entry in entries[:1]:
        value: Any = object_of(done[0])
        for key in entry.path:
            value = value[key]
        assert entry.value in value if entry.is_item else value == entry.value


@given(_texts(), st.dictionaries(st.sampled_from(["x", "y"]), _VALUES), st.booleans())
def test_what_a_user_added_in_between_stays(
    text: str, added: dict[str, Any], rewritten: bool
) -> None:
    """Claude Code rewrites its settings as a whole; an editor adds a line somewhere."""
    entries = [
        JsonEntry(path=("ours", "recollect"), value={"command": "x"}),
        JsonEntry(path=("list", "Stop"), value={"hooks": [1]}, is_item=True),
    ]
    changed, steps = with_entries(text, entries)
    document = object_of(changed) | added
    if rewritten:
        changed = json.dumps(dict(reversed(document.items())), indent=3)
    else:
        more = [JsonEntry(path=(key,), value=value) for key, value in added.items()]
        changed = with_entries(changed, more)[0]
    left = without_steps(changed, steps)
    assert object_of(left) == object_of(text) | added
    if not rewritten:
        for line in text.strip().strip("{}").splitlines():
            assert line.strip().rstrip(",") in left


def test_the_style_of_the_file_is_kept() -> None:
    """A diff of the settings shows our lines and the comma before them, nothing else."""
    text = '{\n\t"model": "opus",\n\t"hooks": {}\n}\n'
    entry = JsonEntry(path=("hooks", "Stop"), value={"type": "command"}, is_item=True)
    assert with_entries(text, [entry])[0] == (
        '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{\n\t\t\t\t"type": "command"\n'
        "\t\t\t}\n\t\t]\n\t}\n}\n"
    )


def test_a_value_that_was_replaced_comes_back_as_it_was_written() -> None:
    """OpenClaw's memory slot held another plugin; 1.50 stays 1.50."""
    text = '{"slots": {"memory": "memory-core", "weight": 1.50}}'
    entries = [
        JsonEntry(path=("slots", "memory"), value="recollect"),
        JsonEntry(path=("slots", "weight"), value=2),
    ]
    changed, steps = with_entries(text, entries)
    assert json.loads(changed) == {"slots": {"memory": "recollect", "weight": 2}}
    assert without_steps(changed, steps) == text


def test_a_replaced_value_that_somebody_changed_since_stays() -> None:
    """The user chose a third plugin meanwhile: theirs."""
    text = '{"slots": {"memory": "memory-core"}}'
    changed, steps = with_entries(text, [JsonEntry(path=("slots", "memory"), value="recollect")])
    later = changed.replace('"recollect"', '"other"')
    assert without_steps(later, steps) == later


def test_what_is_below_our_name_goes_whatever_it_holds_now() -> None:
    """The user added a variable to our MCP entry: it is still our entry."""
    entry = JsonEntry(path=("mcpServers", "recollect"), value={"command": "x"})
    changed, steps = with_entries("{}", [entry])
    later = changed.replace('"x"', '"x",\n      "env": {"A": "1"}')
    assert without_steps(later, steps) == "{}"


def test_a_key_that_gives_way_stays_where_others_set_it_since() -> None:
    """It is not named after us: what somebody chose since is their choice."""
    entry = JsonEntry(path=("memory", "on"), value=True, gives_way=True)
    changed, steps = with_entries("{}", [entry])
    later = changed.replace("true", "false")
    assert without_steps(later, steps) == later
    assert without_steps(changed, steps) == "{}"


def test_what_was_there_before_is_not_ours() -> None:
    """The user had pasted the entry by hand: removal leaves it."""
    text = '{"mcpServers": {"recollect": {"command": "x"}}, "hooks": {"Stop": [{"a": 1}]}}'
    entries = [
        JsonEntry(path=("mcpServers", "recollect"), value={"command": "x"}),
        JsonEntry(path=("hooks", "Stop"), value={"a": 1}, is_item=True),
    ]
    assert with_entries(text, entries) == (text, ())


def test_what_somebody_took_out_is_not_missed() -> None:
    """The user deleted our entries, or put something else where they were."""
    entry = JsonEntry(path=("hooks", "Stop"), value={"a": 1}, is_item=True)
    _, steps = with_entries("{}", [entry])
    for text in ('{"hooks": 1}', '{"hooks": {}, "b": [1]}', '{"hooks": {"Stop": [{"a": 2}]}}'):
        left = without_steps(text, steps)
        assert json.loads(left) == {key: v for key, v in json.loads(text).items() if v != {}}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{a: 1}", "must hold JSON"),
        ("[1]", "a JSON object"),
        ('{"hooks": "x"}', "hooks must be an object"),
        ('{"hooks": {"Stop": {}}}', "hooks.Stop must be a list"),
        ("[" * 100_000, "must hold JSON"),
    ],
    ids=["no quotes", "a list", "a text", "an object", "deep"],
)
def test_a_file_that_is_something_else_is_refused(text: str, says: str) -> None:
    """What cannot be read back, and a wrong kind of value, is not ours to replace."""
    entry = JsonEntry(path=("hooks", "Stop"), value={"a": 1}, is_item=True)
    with pytest.raises(InvalidInput, match=says):
        with_entries(text, [entry])


EDITORS = {
    "zed": """// Zed settings
{
  "theme": "One", // light
  /* servers */
  "context_servers": {
    // mine
    "mine": { "command": "x" }, // "quoted" // twice
  },
}
""",
    "vscode": "{\r\n\t// none yet\r\n}\r\n",
    "gemini": '{\n  // my theme\n  "ui": {"theme": "Dracula"},\n}\n',
    "opencode": '{"$schema": "https://example.org/config.json", /* mine */ "mcp": {}}',
}


@pytest.mark.parametrize("name", EDITORS)
def test_comments_stay_where_they_are(name: str) -> None:
    """As the editors write their settings; each comment is still beside what it is about."""
    text = EDITORS[name]
    entry = JsonEntry(path=("context_servers", "recollect"), value={"command": "recollect"})
    changed, steps = with_entries(text, [entry])
    assert object_of(changed)["context_servers"]["recollect"] == {"command": "recollect"}
    kept = [line for line in text.splitlines() if "/" in line and "context" not in line]
    assert all(line.rstrip(" },") in changed for line in kept)
    assert without_steps(changed, steps) == text


def test_a_long_comment_takes_no_long_time() -> None:
    """A comment that never ends is read once."""
    assert object_of("{}" + "/* " * 100_000) == {}
