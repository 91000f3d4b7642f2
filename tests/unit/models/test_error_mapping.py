"""What providers mean by their errors."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import (
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
)
from recollect.models.http.error_mapping import map_error


def _error(status: int, body: object, retry_after: float | None = None) -> ProviderError:
    mapped = map_error(status, msgspec.json.encode(body))
    assert mapped is not None
    return mapped.error("openai", retry_after)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, {"error": {"code": "rate_limit_exceeded", "message": "slow"}}, ProviderUnavailable),
        (429, {"error": {"code": "insufficient_quota", "message": "x"}}, QuotaExhausted),
        (402, {"detail": "add a payment method"}, QuotaExhausted),
        (403, {"error": {"code": "billing_not_active", "message": "x"}}, QuotaExhausted),
        (429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}, ProviderUnavailable),
        (500, {}, ProviderUnavailable),
        (500, {"error": {"code": 500, "message": "the answer is too large"}}, ProviderUnavailable),
        (524, "cloudflare", ProviderUnavailable),
        (408, {}, ProviderUnavailable),
        (400, {"error": "bad"}, ProviderRejected),
        (401, {"error": {"message": "who?"}}, ProviderRejected),
        (404, {"detail": "no such model"}, ProviderRejected),
        (418, {}, ProviderRejected),
        (302, {}, ProviderRejected),
    ],
)
def test_a_status_has_a_meaning(status: int, body: object, kind: type[ProviderError]) -> None:
    """Trying again helps, never helps, or is for somebody with a purse."""
    error = _error(status, body)
    assert type(error) is kind
    assert error.hint
    assert error.facts["status"] == status


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"code": 429, "message": "slow down"}}, ProviderUnavailable),
        ({"error": {"code": 400, "message": "bad"}}, ProviderRejected),
        ({"error": {"code": "insufficient_quota"}}, QuotaExhausted),
        ({"error": "upstream away"}, ProviderUnavailable),
        ({"errors": ["one"]}, ProviderUnavailable),
        ([{"error": {"code": 503}}], ProviderUnavailable),
    ],
)
def test_a_good_status_does_not_hide_an_error(body: object, kind: type[ProviderError]) -> None:
    """Gateways answer 200 with an error for a body."""
    assert type(_error(200, body)) is kind


@pytest.mark.parametrize(
    "body",
    [
        {"data": [{"embedding": [1.0]}], "error": None},
        {"embeddings": []},
        [{"ok": True}],
        [],
        "text",
    ],
)
def test_an_answer_without_an_error_is_no_refusal(body: object) -> None:
    """Also with an empty place for one."""
    assert map_error(200, msgspec.json.encode(body)) is None


@pytest.mark.parametrize(
    ("status", "words", "is_too_large"),
    [
        (413, "", True),
        (400, "This model's maximum context length is 8192 tokens", True),
        (400, "Invalid 'input': maximum request size is 300000 tokens per request", True),
        (400, "at most 100 requests can be in one batch", True),
        (422, "batch size 64 > maximum allowed batch size 32", True),
        (400, "input is too long", True),
        (400, "the max allowed tokens per submitted batch is 120000", True),
        (400, "unknown field", False),
        (500, "too large", False),
    ],
)
def test_too_large_is_recognised(status: int, words: str, is_too_large: bool) -> None:
    """In the words of OpenAI, Gemini, Voyage, text-embeddings-inference and llama.cpp."""
    mapped = map_error(status, msgspec.json.encode({"error": {"message": words}}))
    assert mapped is not None
    assert mapped.is_too_large is is_too_large


def test_the_hint_follows_the_cause() -> None:
    """Key, name, address or size."""
    hints = [
        _error(401, {}).hint,
        _error(400, {"error": {"message": "API key not valid"}}).hint,
        _error(404, {}).hint,
        _error(308, {}).hint,
        _error(413, {}).hint,
        _error(400, {}).hint,
    ]
    words = ["key", "key", "base_url", "redirects", "batch_tokens", "dimensions"]
    assert all(word in hint for word, hint in zip(words, hints, strict=True))


def test_an_account_that_says_when_is_waited_for() -> None:
    """Some answer a full minute with the code of an empty account."""
    body = {"error": {"code": "insufficient_quota"}}
    assert type(_error(429, body, retry_after=20.0)) is ProviderUnavailable


def test_a_minute_without_quota_is_no_empty_account() -> None:
    """Gemini says both in the same words; for a full minute it says how long to wait."""
    body = {
        "error": {
            "code": 429,
            "status": "RESOURCE_EXHAUSTED",
            "message": "You exceeded your current quota, please check your plan and billing",
            "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17s"}],
        }
    }
    error = _error(429, body)
    assert type(error) is ProviderUnavailable
    assert error.facts["retry_after_s"] == 17.0


def test_a_providers_words_stay_unseen() -> None:
    """They may repeat the text, or part of the key; its short code may be shown."""
    body = {"error": {"code": "invalid_input", "message": "the text 'my secret' is not allowed"}}
    error = _error(400, body)
    assert "secret" not in f"{error} {error.hint} {error.facts}"
    assert error.facts["provider_code"] == "invalid_input"
    assert "secret" not in str(_error(400, {"error": {"code": "my secret text"}}).facts)


@given(status=st.integers(200, 599), body=st.binary(max_size=60))
def test_any_bytes_are_an_answer_or_an_error(status: int, body: bytes) -> None:
    """Nothing from outside raises."""
    mapped = map_error(status, body)
    assert (mapped is None) <= (200 <= status < 300)
    if mapped is not None:
        assert mapped.error("openai", None).hint
