"""Messages of OpenAI and Anthropic go in as they are, and a view comes out as either.

What comes out is checked by the SDKs' own types and by the rules for which the real APIs refuse.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anthropic.types as claude
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openai.types import chat, responses

from recollect.core.errors import InvalidInput
from recollect.sessions.context.prompt_turns import NO_RESULT
from recollect.sessions.context.view import ContextView
from recollect.sessions.sessions import Sessions
from tests.support.prompt_rules import RefusedPrompt, check_chat, check_claude, check_items
from tests.unit.sessions.home import Home, WordRedactor

Json = dict[str, Any]
ARGUMENTS = {"city": "Lisbon", "days": 2}
SPELLED = '{"city":"Lisbon","days":2}'

CHAT: list[Json] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How is the weather?"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_1", "type": "function",
         "function": {"name": "weather", "arguments": SPELLED}},
        {"id": "call_2", "type": "function", "function": {"name": "time", "arguments": "{}"}},
    ]},
    {"role": "tool", "tool_call_id": "call_1", "content": "rain"},
    {"role": "tool", "tool_call_id": "call_2", "content": "noon"},
    {"role": "assistant", "content": "It rains at noon."},
    {"role": "user", "content": [
        {"type": "text", "text": "And here?"},
        {"type": "image_url", "image_url": {"url": "https://tea.test/sky.png"}},
    ]},
]  # fmt: skip

ITEMS: list[Json] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How is the weather?"},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
    {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "weather",
     "arguments": SPELLED, "status": "completed"},
    {"type": "function_call", "id": "fc_2", "call_id": "call_2", "name": "time",
     "arguments": "{}", "status": "completed"},
    {"type": "function_call_output", "call_id": "call_1", "output": "rain"},
    {"type": "function_call_output", "call_id": "call_2", "output": "noon"},
    {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
     "content": [{"type": "output_text", "text": "It rains at noon.", "annotations": []}]},
    {"role": "user", "content": [
        {"type": "input_text", "text": "And here?"},
        {"type": "input_image", "image_url": "https://tea.test/sky.png", "detail": "auto"},
    ]},
]  # fmt: skip

CLAUDE: list[Json] = [
    {"role": "user", "content": "How is the weather?"},
    {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "Ask both.", "signature": "c2lnbmVk"},
        {"type": "tool_use", "id": "call_1", "name": "weather", "input": ARGUMENTS},
        {"type": "tool_use", "id": "call_2", "name": "time", "input": {}},
    ]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "call_1", "content": "rain"},
        {"type": "tool_result", "tool_use_id": "call_2", "content": "noon"},
    ]},
    {"role": "assistant", "content": "It rains at noon."},
    {"role": "user", "content": [
        {"type": "text", "text": "And here?"},
        {"type": "image", "source": {"type": "url", "url": "https://tea.test/sky.png"}},
    ]},
]  # fmt: skip
SPELLINGS = {"chat": CHAT, "responses": ITEMS, "anthropic": [CHAT[0], *CLAUDE]}


def _without(messages: list[Json], *kinds: str) -> list[Json]:
    """Return messages without blocks and items that only their own provider reads."""
    kept = [each for each in messages if each.get("type") not in kinds]
    return [
        each | {"content": [b for b in each["content"] if b["type"] not in kinds]}
        if isinstance(each.get("content"), list) else each
        for each in kept
    ]  # fmt: skip


def _stored(sessions: Sessions, given: list[Any]) -> ContextView:
    session = sessions.create()
    sessions.append_many(session.id, given)
    return sessions.view(session.id)


@pytest.mark.parametrize("came", SPELLINGS)
def test_what_one_provider_wrote_comes_out_as_either(sessions: Sessions, came: str) -> None:
    """With ids, arguments as text or object, results behind their calls, and images."""
    view = _stored(sessions, SPELLINGS[came])
    assert view.as_openai() == CHAT
    request = view.as_anthropic()
    assert request["system"] == "Be brief."
    kinds = () if came == "anthropic" else ("thinking",)
    assert request["messages"] == _without(CLAUDE, *kinds)
    items = view.as_openai_responses()
    kinds = () if came == "responses" else ("reasoning",)
    known = ITEMS if came == "responses" else [
        {"role": "assistant", "content": "It rains at noon."} if "output_text" in str(each)
        else {key: each[key] for key in each if key not in {"id", "status"}}
        for each in ITEMS
    ]  # fmt: skip
    assert items == _without(known, *kinds)
    check_chat(view.as_openai())
    check_items(items)
    check_claude(request)
    assert json.loads(json.dumps([request, items])) == [request, items]


def _sdk_objects() -> dict[str, list[Any]]:
    said = chat.ChatCompletionMessage.model_validate(CHAT[2])
    answer = claude.Message.model_validate(
        {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x",
            "content": CLAUDE[1]["content"], "stop_reason": "tool_use", "stop_sequence": None,
            "usage": {"input_tokens": 7, "output_tokens": 5},
        }
    )  # fmt: skip
    output = [
        responses.ResponseReasoningItem.model_validate(ITEMS[2]),
        responses.ResponseFunctionToolCall.model_validate(ITEMS[3]),
        responses.ResponseFunctionToolCall.model_validate(ITEMS[4]),
        *ITEMS[5:7],
        responses.ResponseOutputMessage.model_validate(ITEMS[7]),
    ]
    return {
        "chat": [*CHAT[:2], said, *CHAT[3:]],
        "responses": [*ITEMS[:2], *output, ITEMS[8]],
        "anthropic": [CHAT[0], CLAUDE[0], answer, *CLAUDE[2:]],
        "content": [CHAT[0], CLAUDE[0], {"role": "assistant", "content": answer.content},
                    *CLAUDE[2:]],
    }  # fmt: skip


@pytest.mark.parametrize("came", _sdk_objects())
def test_objects_of_the_sdks_go_in_as_they_are(sessions: Sessions, came: str) -> None:
    """Nobody has to turn them into dicts, and none of the SDKs is imported by us."""
    view = _stored(sessions, _sdk_objects()[came])
    assert view.as_openai() == CHAT
    check_claude(view.as_anthropic())


def test_append_takes_a_whole_message(sessions: Sessions) -> None:
    """As append_many does; what is said beside it wins, and the model's usage is noted."""
    session = sessions.create()
    answer = _sdk_objects()["anthropic"][2]
    stored = sessions.append(session.id, answer, metadata={"turn": 1}, event_id="e")
    assert stored.content == CLAUDE[1]["content"]
    assert (stored.metadata["turn"], stored.metadata["model"]) == (1, "claude-x")
    assert sessions.get(session.id).output_tokens == 5
    assert sessions.append(session.id, answer, event_id="e").id == stored.id
    assert sessions.append(session.id, CHAT[3]).role == "tool"


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "text", "text": "tea"},
        {"role": "user", "contnet": "tea"},
        {"role": "assistant", "tool_calls": [{"id": "x"}]},
        {"type": "mesage", "role": "user", "content": "tea"},
        {"type": "tea", "text": "tea"},
        {"role": "user"},
        7,
    ],
)
def test_what_is_no_message_is_refused_with_what_would_be(sessions: Sessions, wrong: Any) -> None:
    """A misspelt field would be lost."""
    session = sessions.create()
    for call in (
        lambda: sessions.append_many(session.id, [wrong]),
        lambda: sessions.append(session.id, wrong),
    ):
        with pytest.raises(InvalidInput) as caught:
            call()
        assert caught.value.hint
    with pytest.raises(InvalidInput, match="must have a role and a content"):
        sessions.append(session.id, "user")


def test_content_is_plain_json(sessions: Sessions) -> None:
    """A text is a text; blocks are dicts that go into a request."""
    session = sessions.create()
    assert sessions.append(session.id, "user", "tea").content == "tea"
    stored = sessions.append(session.id, CLAUDE[1])
    assert json.loads(json.dumps(stored.content)) == CLAUDE[1]["content"]


def test_a_call_that_was_never_answered_is_told_so(sessions: Sessions) -> None:
    """The program died, and the user asks again; a call at the end is still to be answered."""
    view = _stored(sessions, [*CLAUDE[:2]])
    assert [block["type"] for block in view.as_anthropic()["messages"][-1]["content"]] == [
        "thinking", "tool_use", "tool_use"
    ]  # fmt: skip
    check_claude(view.as_anthropic(), is_open=True)
    check_chat(view.as_openai(), is_open=True)
    view = _stored(sessions, [*CLAUDE[:2], {"role": "user", "content": "And?"}])
    told, _, asked = view.as_anthropic()["messages"][-1]["content"]
    assert (told["content"], told["is_error"], asked["text"]) == (NO_RESULT, True, "And?")
    assert [m["content"] for m in view.as_openai()[-3:]] == [NO_RESULT, NO_RESULT, "And?"]


def test_ids_that_an_api_would_refuse_are_replaced_by_the_same_each_time(
    sessions: Sessions,
) -> None:
    """Used twice, too long, or with other letters; a cached prompt stays the same."""
    asked = []
    for id_ in ("a b", "x" * 50, "ok", "ok", None):
        call = {"type": "tool_use", "name": "weather", "input": {}}
        asked += [
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": [call if id_ is None else call | {"id": id_}]},
            {"role": "tool", "content": [{"type": "tool_result", "tool_use_id": id_,
                                          "content": "rain"}]},
        ]  # fmt: skip
    view = _stored(sessions, asked)
    check_claude(view.as_anthropic())
    check_chat(view.as_openai())
    check_items(view.as_openai_responses())
    calls = [m["tool_calls"][0]["id"] for m in view.as_openai() if "tool_calls" in m]
    assert calls[2] == "ok"
    assert view.as_openai() == sessions.view(view.session_id).as_openai()
    last = sessions.view(view.session_id, budget_tokens=60).as_openai()
    assert [m["tool_calls"][0]["id"] for m in last if "tool_calls" in m][-1] == calls[-1]


def test_a_summary_is_told_by_the_user_and_instructions_come_first(sessions: Sessions) -> None:
    """What people said must not become an instruction."""
    session = sessions.create()
    sessions.append_many(session.id, [("user", f"The quilt is blue {n}.") for n in range(9)])
    sessions.append(session.id, "assistant", "Noted.")
    sessions.compact(session.id, keep_messages=1)
    view = sessions.view(session.id)
    assert view.summary
    first, summary, *_ = view.as_openai("Be brief.")
    assert (first["role"], summary["role"]) == ("system", "user")
    assert view.summary in summary["content"]
    request = view.as_anthropic("Be brief.")
    assert request["system"] == "Be brief."
    assert [message["role"] for message in request["messages"]] == ["user", "assistant"]
    assert view.summary in request["messages"][0]["content"]
    assert view.as_openai_responses("Be brief.")[:2] == view.as_openai("Be brief.")[:2]


def test_a_view_that_begins_with_the_assistant_begins_with_the_user(sessions: Sessions) -> None:
    """Anthropic refuses another beginning."""
    view = _stored(sessions, [("assistant", "Good morning. "), ("user", "Hello")])
    check_claude(view.as_anthropic())


def test_a_thought_in_which_a_secret_was_replaced_has_no_signature(tmp_path: Path) -> None:
    """The API would refuse a thought that was changed."""
    home = Home(tmp_path / "home", WordRedactor())
    thought = {"type": "thinking", "thinking": "It is hunter2.", "signature": "c2lnbmVk"}
    said = {"role": "assistant", "content": [thought, {"type": "text", "text": "I know."}]}
    view = _stored(home.sessions, [CLAUDE[0], said])
    assert view.as_anthropic()["messages"][-1]["content"] == "I know."
    home.close()


def test_calls_of_the_providers_own_tools_go_back_to_it_and_to_no_other(
    sessions: Sessions,
) -> None:
    """Pairs that were cut apart are left out; documents and what was found are told in words."""
    searched = [
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "tea"}},
        {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [
            {"type": "web_search_result", "title": "Pu-erh", "url": "https://tea.test",
             "encrypted_content": "x"}]},
        {"type": "text", "text": "It keeps."},
        {"type": "server_tool_use", "id": "srv_2", "name": "web_search", "input": {}},
        {"type": "redacted_thinking", "data": "x"},
    ]  # fmt: skip
    document = {"type": "document", "title": "Tea",
                "source": {"type": "text", "media_type": "text/plain", "data": "Dry."}}  # fmt: skip
    asked = {"role": "user", "content": [document, {"type": "text", "text": "Does it keep?"}]}
    view = _stored(sessions, [asked, {"role": "assistant", "content": searched}])
    request = view.as_anthropic()
    assert request["messages"][0] == asked
    assert request["messages"][1]["content"] == searched[:3]
    check_claude(request)
    user, told = view.as_openai()
    assert [part["text"] for part in user["content"]] == ["Dry.", "Does it keep?"]
    assert told["content"] == "Pu-erh\nIt keeps."
    found = {"type": "web_search_call", "id": "ws_1", "status": "completed",
             "action": {"type": "search", "query": "tea"}}  # fmt: skip
    view = _stored(sessions, [CLAUDE[0], found, ITEMS[7]])
    assert view.as_openai_responses()[1:] == [found, ITEMS[7]]
    assert view.as_openai()[1:] == [{"role": "assistant", "content": "It rains at noon."}]


def test_who_speaks_is_told_where_several_do(sessions: Sessions) -> None:
    """A name that chat completions take is also the name of the message."""
    group = [
        {"role": "user", "content": "Tea?", "name": "Ann"},
        {"role": "user", "content": "Yes.", "name": "Bob B"},
    ]
    view = _stored(sessions, group)
    assert view.as_openai() == [
        {"role": "user", "content": "Ann: Tea?", "name": "Ann"},
        {"role": "user", "content": "Bob B: Yes."},
    ]
    (message,) = view.as_anthropic()["messages"]
    assert [part["text"] for part in message["content"]] == ["Ann: Tea?", "Bob B: Yes."]
    assert _stored(sessions, group[:1]).as_anthropic()["messages"][0]["content"] == "Tea?"


def test_old_and_odd_spellings_go_in(sessions: Sessions) -> None:
    """Functions before tools, refusals, spoken answers, custom tools and uploaded files."""
    odd: list[Json] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "input_image", "file_id": "file_1",
                                      "detail": "auto"}]},
        {"role": "assistant", "content": None,
         "function_call": {"name": "weather", "arguments": ""}},
        {"role": "function", "name": "weather", "content": "rain"},
        {"role": "assistant", "content": None, "refusal": "No."},
        {"role": "assistant", "content": None, "audio": {"id": "a", "transcript": "Yes."}},
        {"type": "custom_tool_call", "call_id": "c_1", "name": "sh", "input": "ls -l"},
        {"type": "custom_tool_call_output", "call_id": "c_1", "output": [
            {"type": "input_text", "text": "a"}]},
    ]  # fmt: skip
    view = _stored(sessions, odd)
    check_chat(view.as_openai())
    check_items(view.as_openai_responses())
    check_claude(view.as_anthropic())
    assert [m.get("content") for m in view.as_openai()] == [
        "Be brief.", None, "rain", "No.\nYes.", "a"
    ]  # fmt: skip
    assert odd[1] in view.as_openai_responses()
    assert view.as_openai()[3]["tool_calls"][0]["custom"]["input"] == "ls -l"
    assert view.as_anthropic()["messages"][-2]["content"][-1]["input"] == {"input": "ls -l"}


def test_custom_tools_come_out_as_they_went_in(sessions: Sessions) -> None:
    """Their input is a text, no JSON; they came out as functions, which OpenAI knew nothing of."""
    custom = {"id": "c_1", "type": "custom", "custom": {"name": "sh", "input": '{"ls": 1}'}}
    plain = {"id": "c_2", "type": "function", "function": {"name": "find", "arguments": "no JSON"}}
    chat: list[Json] = [
        {"role": "user", "content": "List it."},
        {"role": "assistant", "content": None, "tool_calls": [custom, plain]},
        {"role": "tool", "tool_call_id": "c_1", "content": "a"},
        {"role": "tool", "tool_call_id": "c_2", "content": "b"},
    ]
    items: list[Json] = [
        {"role": "user", "content": "List it."},
        {"type": "custom_tool_call", "call_id": "c_1", "name": "sh", "input": '{"ls": 1}'},
        {"type": "function_call", "call_id": "c_2", "name": "find", "arguments": "no JSON"},
        {"type": "custom_tool_call_output", "call_id": "c_1", "output": "a"},
        {"type": "function_call_output", "call_id": "c_2", "output": "b"},
    ]
    for told in (chat, items):
        view = _stored(sessions, told)
        assert view.as_openai() == chat
        assert view.as_openai_responses() == items
        (*_, called, _) = view.as_anthropic()["messages"]
        assert called["content"][0]["input"] == {"input": '{"ls": 1}'}


WORDS = st.sampled_from(["tea", " ", "", "two\nlines", "緑茶 🍵", "<b>", "end "])
IDS = st.sampled_from(["a", "b", "a b", "c" * 60, "d"])
INPUTS = st.dictionaries(
    st.sampled_from(["q", "ü"]), st.integers(-(2**53), 2**53) | WORDS, max_size=2
)


def _chat_call(id_: str, given: Json) -> Json:
    function = {"name": "find", "arguments": json.dumps(given)}
    return {"id": id_, "type": "function", "function": function}


def _claude_blocks(text: str, calls: list[tuple[str, Json]], thought: str) -> list[Json]:
    used = [{"type": "tool_use", "id": i, "name": "find", "input": g} for i, g in calls]
    thinking = [{"type": "thinking", "thinking": thought, "signature": "s"}] if thought else []
    return [*thinking, {"type": "text", "text": text}, *used]


CALLS = st.lists(st.tuples(IDS, INPUTS), max_size=3)
ANY_MESSAGE = st.one_of(
    st.builds(lambda t: {"role": "user", "content": t}, WORDS),
    st.builds(lambda t: {"role": "system", "content": t}, WORDS),
    st.builds(
        lambda t, c: {"role": "assistant", "content": t,
                      **({"tool_calls": [_chat_call(*each) for each in c]} if c else {})},
        WORDS | st.none(), CALLS,
    ),
    st.builds(lambda i, t: {"role": "tool", "tool_call_id": i, "content": t}, IDS, WORDS),
    st.builds(lambda t, c, th: {"role": "assistant", "content": _claude_blocks(t, c, th)},
              WORDS, CALLS, st.sampled_from(["", "hm"])),
    st.builds(lambda i, t, e: {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": i, "content": t, "is_error": e}]},
        IDS, WORDS, st.booleans()),
    st.builds(lambda i, g: {"type": "function_call", "call_id": i, "name": "find",
                            "arguments": json.dumps(g)}, IDS, INPUTS),
    st.builds(lambda i, t: {"type": "function_call_output", "call_id": i, "output": t}, IDS, WORDS),
    st.just(ITEMS[2]),
    st.just({"type": "computer_call_output", "call_id": "z", "output": {
        "type": "computer_screenshot", "image_url": "https://tea.test"}}),
)  # fmt: skip


@settings(max_examples=60, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(st.lists(ANY_MESSAGE, min_size=1, max_size=12), st.integers(40, 400))
def test_any_history_comes_out_as_what_the_apis_accept(
    home: Home, messages: list[Json], budget: int
) -> None:
    """However calls and results lie, and wherever a budget cuts."""
    session = home.sessions.create()
    home.sessions.append_many(session.id, messages)
    for view in (home.sessions.view(session.id), home.sessions.view(session.id, budget)):
        check_chat(view.as_openai("s"), is_open=True)
        check_items(view.as_openai_responses(), is_open=True)
        check_claude(view.as_anthropic(), is_open=True)


@st.composite
def conversations(draw: st.DrawFn) -> list[Json]:
    """A chat as chat completions would have accepted it."""
    found: list[Json] = []
    for turn in range(draw(st.integers(1, 4))):
        found.append({"role": "user", "content": f"question {turn}"})
        for step in range(draw(st.integers(0, 2))):
            ids = [f"call_{turn}_{step}_{n}" for n in range(draw(st.integers(1, 3)))]
            calls = [
                {"id": i, "type": "function", "function": {
                    "name": "find", "arguments": json.dumps(draw(INPUTS), ensure_ascii=False,
                                                            separators=(",", ":"))}}
                for i in ids
            ]  # fmt: skip
            said = draw(st.none() | st.just("Let me see."))
            found.append({"role": "assistant", "content": said, "tool_calls": calls})
            found += [{"role": "tool", "tool_call_id": i, "content": f"of {i}"} for i in ids]
        found.append({"role": "assistant", "content": f"answer {turn}"})
    return found


Through = Callable[[ContextView], list[Json]]
WAYS: dict[str, Through] = {
    "chat": ContextView.as_openai,
    "responses": ContextView.as_openai_responses,
    "anthropic": lambda view: view.as_anthropic()["messages"],
}


@settings(max_examples=15, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(conversations(), st.permutations(sorted(WAYS)))
def test_a_conversation_is_the_same_after_it_went_through_all_of_them(
    home: Home, conversation: list[Json], ways: list[str]
) -> None:
    """In as one, out as the next, in again: the ids and arguments of its calls too."""
    messages = conversation
    for way in ways:
        messages = WAYS[way](_stored(home.sessions, messages))
    assert _stored(home.sessions, messages).as_openai() == conversation


def _refused() -> Iterator[tuple[Callable[[Any], None], Any]]:
    yield check_chat, CHAT[:3]
    yield check_chat, [CHAT[3]]
    yield check_chat, [{"role": "user"}]
    yield check_items, [ITEMS[5]]
    yield check_items, ITEMS[:3]
    yield check_claude, {"messages": CLAUDE[1:]}
    yield check_claude, {"messages": CLAUDE[:2]}
    yield check_claude, {"messages": [CLAUDE[0], CLAUDE[4]]}


@pytest.mark.parametrize(("check", "wrong"), list(_refused()))
def test_the_rules_refuse_what_the_apis_refuse(check: Callable[[Any], None], wrong: Any) -> None:
    """Else they would prove nothing."""
    with pytest.raises((RefusedPrompt, ValueError)):
        check(wrong)
