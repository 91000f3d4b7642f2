"""Many messages at once are stored as they would be one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.sessions.sessions import Sessions
from recollect.store.engine import Row, Transaction
from recollect.text.secret_redactor import SecretRedactor
from tests.unit.sessions.home import Home

_IDS = st.sampled_from(["a", "b", None])
_SAID = st.sampled_from(["hello there", "token=ghp_" + 36 * "a1", "the plan for Tuesday", "été 🙂"])
_CALLS = st.builds(lambda call: {"type": "tool_use", "id": call, "name": "grep"}, _IDS)
_RESULTS = st.builds(
    lambda call, text: {"type": "tool_result", "tool_use_id": call, "content": text}, _IDS, _SAID
)
_ITEMS = st.one_of(
    st.builds(lambda text: {"role": "user", "content": text}, _SAID),
    st.builds(lambda text: {"role": "tool", "content": text, "name": "sh"}, _SAID),
    st.builds(
        lambda blocks: {"role": "assistant", "content": blocks},
        st.lists(st.one_of(_CALLS, _RESULTS), min_size=1, max_size=3),
    ),
    st.builds(
        lambda text, usage: {"role": "assistant", "content": text, "usage": usage},
        _SAID,
        st.sampled_from(
            [
                {"input_tokens": 5, "cache_read_input_tokens": 3},
                {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}},
                {"prompt_tokens": 2, "prompt_tokens_details": 7, "completion_tokens": 1},
            ]
        ),
    ),
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A home for all examples, each in sessions of its own."""
    home = Home(tmp_path_factory.mktemp("bulk") / "home", SecretRedactor(b"salt"))
    yield home
    home.close()


def _calls(sessions: Sessions, session_id: str) -> list[tuple[Any, ...]]:
    seqs = {message.id: message.seq for message in sessions.messages(session_id)}
    return [
        (
            *(seqs[call.message_id], seqs.get(call.result_id or ""), call.call_id),
            *(call.tool_name, call.input, call.result_text, call.is_error),
        )
        for call in sorted(sessions.tool_calls(session_id), key=lambda each: each.id)
    ]


def _tables(home: Home, session_id: str) -> tuple[Sequence[Row], Sequence[Row]]:
    def unit(tx: Transaction) -> tuple[Sequence[Row], Sequence[Row]]:
        messages = tx.all(
            "SELECT seq, role, name, content, text, token_estimate, metadata, turn_sender"
            " FROM messages WHERE session_id = ? ORDER BY seq",
            (session_id,),
        )
        session = tx.all(
            "SELECT last_seq, message_count, input_tokens, output_tokens, cache_tokens,"
            " total_tokens, context_tokens FROM sessions WHERE id = ?",
            (session_id,),
        )
        return messages, session

    return home.database.read(unit)


@given(st.lists(_ITEMS, max_size=8))
def test_a_bulk_has_the_rows_of_single_messages(kept: Home, items: list[dict[str, Any]]) -> None:
    """Messages, tool calls whose ids come again, costs: whatever order they come in."""
    sessions = kept.sessions
    whole, single = sessions.create(), sessions.create()
    sessions.append_many(whole.id, items)
    for item in items:
        sessions.append(single.id, **item)
    assert _tables(kept, whole.id) == _tables(kept, single.id)
    assert _calls(sessions, whole.id) == _calls(sessions, single.id)
