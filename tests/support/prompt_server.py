"""The two chat APIs on loopback, which refuse what the real ones refuse; for programs of users.

They ask for the tool where a question speaks of opening, and say what they were told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.prompt_rules import RefusedPrompt, check_chat, check_claude, must
from tests.support.provider_formats import Received, Response, json_response

KEY = "key-of-the-test"


class StandIn:
    """One API, as a service of `ProviderServer`.

    Args:
        path: Where it answers.
        check: Refuses a body.
        reply: Answers one.
    """

    def __init__(
        self, path: str, check: Callable[[Any], None], reply: Callable[[Any], object]
    ) -> None:
        self._path, self._check, self._reply = path, check, reply
        self.bodies: list[Any] = []
        self.refused: list[str] = []

    def answer(self, received: Received) -> Response | None:
        """Return the answer to a request of this API."""
        if (received.method, received.path) != ("POST", self._path):
            return None
        keys = {received.headers.get("authorization"), received.headers.get("x-api-key")}
        body = received.json
        try:
            must(keys & {KEY, f"Bearer {KEY}"}, "the key is wrong")
            self._check(body)
        except (RefusedPrompt, ValueError) as error:
            self.refused.append(str(error))
            return json_response({"type": "error", "error": {"message": str(error)}}, 400)
        self.bodies.append(body)
        return json_response(self._reply(body))


def openai_chat() -> StandIn:
    """Return ``/v1/chat/completions``."""
    return StandIn("/v1/chat/completions", lambda body: check_chat(body["messages"]), _completion)


def anthropic_messages() -> StandIn:
    """Return ``/v1/messages``."""
    return StandIn("/v1/messages", _check_claude_body, _claude_message)


def _check_claude_body(body: Any) -> None:
    check_claude({name: body[name] for name in ("messages", "system") if name in body})
    must(body["max_tokens"] > 0, "max_tokens: required")


def _completion(body: Any) -> object:
    last = body["messages"][-1]
    message: dict[str, Any] = {"role": "assistant", "content": f"You told me: {last['content']}"}
    if "tools" in body and last["role"] == "user" and "open" in last["content"]:
        function = {"name": "opening_hours", "arguments": "{}"}
        id_ = f"call_{len(body['messages'])}"
        call = {"id": id_, "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": body["model"],
            "choices": [choice], "usage": usage}  # fmt: skip


def _claude_message(body: Any) -> object:
    last = body["messages"][-1]["content"]
    thought = {"type": "thinking", "thinking": "Say it.", "signature": "c2lnbmVk"}
    said = last if isinstance(last, str) else last[-1]["content"]
    block: dict[str, Any] = {"type": "text", "text": f"You told me: {said}"}
    if isinstance(last, str) and "open" in last:
        id_ = f"toolu_{len(body['messages'])}"
        block = {"type": "tool_use", "id": id_, "name": "opening_hours", "input": {}}
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
            "content": [thought, block], "stop_reason": "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 9, "output_tokens": 3}}  # fmt: skip
