"""The Bot API of Telegram, as far as it is used: one call, its errors, and no trace of the token.

Telegram has the token in the path of each address, so that everything that names an address would
name it: the log of the HTTP client, its errors, a traceback. Here the token is put into the path by
the last layer before the network.

Source: https://core.telegram.org/bots/api.
"""

from __future__ import annotations

import re
import ssl
from typing import TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import ConfigError
from recollect.models.http.auth import check_address, is_private
from recollect.respond.channels.port import SendRejected, SendUnknown

CONNECT_S = 5.0
READ_S = 30.0
UNREACHED_S = 5.0
"""After so long a message whose send found no connection is sent again."""
_TOKEN = re.compile(r"[0-9]{1,20}:[A-Za-z0-9_-]{1,100}")
MAX_ANSWER_BYTES = 8 << 20
"""A hundred updates with long texts take 2 MB."""

T = TypeVar("T")


class BotRefusal(SendRejected):
    """Telegram refused a call.

    Args:
        status: As of HTTP: 400, 401, 403, 409, 429 …
        retry_s: After how many seconds it may be repeated, where Telegram says so.
    """

    def __init__(self, status: int, retry_s: float | None = None) -> None:
        super().__init__(f"telegram_{status}", retry_s)
        self.status = status


class Unreached(SendRejected):
    """No connection: the call was not made."""

    def __init__(self) -> None:
        super().__init__("telegram_unreached", UNREACHED_S)


class _Parameters(msgspec.Struct, frozen=True):
    retry_after: float | None = None


class _Answer(msgspec.Struct, frozen=True):
    ok: bool
    result: msgspec.Raw = msgspec.Raw(b"null")
    error_code: int = 0
    parameters: _Parameters = _Parameters()


class _WithToken(httpx.BaseTransport):
    """Puts the token into the path of a request, below all that logs or keeps requests."""

    def __init__(self, token: str, below: httpx.BaseTransport) -> None:
        self._token = token
        self._below = below

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request."""
        folder, _, method = request.url.path.rpartition("/")
        url = request.url.copy_with(path=f"{folder}/bot{self._token}/{method}")
        return self._below.handle_request(
            httpx.Request(
                request.method,
                url,
                headers=request.headers,
                stream=request.stream,
                extensions=request.extensions,
            )
        )

    def close(self) -> None:
        """Close the connections."""
        self._below.close()


def _proxy_for(url: str) -> str | None:
    """Return the proxy of the environment for an address; None where it is reached directly.

    The client asks the environment only for a transport of its own.
    """
    parts = urlsplit(url)
    if is_private(url) or proxy_bypass(parts.hostname or ""):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme.lower()) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


class BotApi:
    """Calls methods of the Bot API. Threads may share it.

    Args:
        token: Of the bot.
        base_url: Without the token.

    Raises:
        ConfigError: the address is not one, the token has characters that none has, or the proxy of
            the environment cannot be used.
    """

    def __init__(self, token: str, base_url: str) -> None:
        if _TOKEN.fullmatch(token) is None:
            hint = "set channels.telegram.token to what @BotFather gave: 123456:ABC…"
            raise ConfigError("the token of the bot is not one", hint=hint)
        self._base_url = check_address(base_url, "channels.telegram.base_url").rstrip("/")
        is_encrypted = self._base_url.lower().startswith("https://")
        try:
            below = httpx.HTTPTransport(
                # An address in clear needs no list of authorities, which is slow to read.
                verify=True if is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
                trust_env=not is_private(self._base_url),
                proxy=_proxy_for(self._base_url),
            )
        except (ImportError, ValueError, httpx.InvalidURL):
            hint = "set HTTPS_PROXY to an address such as http://proxy.example:3128"
            raise ConfigError("the proxy of the environment cannot be used", hint=hint) from None
        self._client = httpx.Client(
            transport=_WithToken(token, below),
            headers={"user-agent": "recollect"},
            follow_redirects=False,
            trust_env=False,
        )

    def call(self, method: str, kind: type[T], read_s: float = READ_S, **fields: object) -> T:
        """Return the result of a method as ``kind``; fields that are None are left out.

        Raises:
            BotRefusal: Telegram refused it.
            Unreached: it was not sent.
            SendUnknown: whether it was done is not known.
        """
        body = {name: value for name, value in fields.items() if value is not None}
        status, content = self._post(f"{self._base_url}/{method}", body, read_s)
        try:
            answer = decode_json(content, _Answer)
            if answer.ok:
                return decode_json(answer.result, kind)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise SendUnknown from None
        if status >= 500:
            raise SendUnknown
        raise BotRefusal(answer.error_code or status, answer.parameters.retry_after)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _post(self, url: str, body: dict[str, object], read_s: float) -> tuple[int, bytes]:
        timeout, content = httpx.Timeout(read_s, connect=CONNECT_S), bytearray()
        try:
            with self._client.stream("POST", url, json=body, timeout=timeout) as response:
                for piece in response.iter_bytes():
                    content += piece
                    if len(content) > MAX_ANSWER_BYTES:
                        raise SendUnknown
                return response.status_code, bytes(content)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError):
            raise Unreached from None
        except (httpx.HTTPError, httpx.StreamError, RuntimeError):  # closed meanwhile
            raise SendUnknown from None
