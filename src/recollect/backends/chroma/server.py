"""Chroma as a server, used through its HTTP API (version 2), without its package.

Every call has a deadline: a search does not wait for a slow server.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import StoreError
from recollect.index.vectors.port import Floats

if TYPE_CHECKING:
    import httpx

CONNECT_S = 1.0
ASK_S = 2.0
"""Deadline in seconds of a call that a search waits for."""
CHANGE_S = 60.0
IDS_AT_ONCE = 10_000
"""Ids read per request."""
_SPACE = "/api/v2/tenants/default_tenant/databases/default_database/collections"
_MISSING = 404

T = TypeVar("T")


class _Named(msgspec.Struct):
    id: str
    name: str


class _Ids(msgspec.Struct):
    ids: list[str]


class _Found(msgspec.Struct):
    ids: list[list[str]]


class ChromaServer:
    """Implements `ChromaClient`.

    Args:
        url: Address of the server; a name and password in it are sent and never shown.
    """

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self.place = _shown(self._url)
        self._session: httpx.Client | None = None
        self._id_of: dict[str, str] = {}

    def open(self) -> None:
        """Make sure that the server answers."""
        import httpx

        self.close()
        self._id_of.clear()
        timeout = httpx.Timeout(ASK_S, connect=CONNECT_S)
        try:
            self._session = httpx.Client(base_url=self._url, timeout=timeout, trust_env=False)
        except (httpx.InvalidURL, ValueError) as error:
            raise _failed("its address is wrong", self.place) from error
        self._call("GET", "/api/v2/heartbeat")

    def names(self) -> list[str]:
        """Return the names of all collections."""
        names: list[str] = []
        while True:
            query = f"?limit={IDS_AT_ONCE}&offset={len(names)}"
            page = _read(self._call("GET", _SPACE + query), list[_Named])
            names += [collection.name for collection in page]
            if len(page) < IDS_AT_ONCE:
                return names

    def put(self, name: str, ids: Sequence[str], vectors: Floats) -> None:
        """Store vectors."""
        body = {"ids": ids, "embeddings": vectors.tolist()}
        self._call("POST", f"{_SPACE}/{self._ensure_collection(name)}/upsert", body, CHANGE_S)

    def remove(self, name: str, ids: Sequence[str]) -> None:
        """Remove vectors."""
        self._on(name, "delete", {"ids": ids}, CHANGE_S)

    def nearest(self, name: str, vector: Floats, most: int) -> list[str]:
        """Return the ids of the nearest vectors, best first."""
        body = {"query_embeddings": [vector.tolist()], "n_results": most, "include": []}
        answer = self._on(name, "query", body)
        return _read(answer, _Found).ids[0] if answer else []

    def ids(self, name: str) -> list[str]:
        """Return all ids of a collection."""
        ids: list[str] = []
        while True:
            body = {"include": [], "limit": IDS_AT_ONCE, "offset": len(ids)}
            answer = self._on(name, "get", body, CHANGE_S)
            page = _read(answer, _Ids).ids if answer else []
            ids += page
            if len(page) < IDS_AT_ONCE:
                return ids

    def count(self, name: str) -> int:
        """Return the number of vectors in a collection."""
        answer = self._on(name, "count", None)
        return _read(answer, int) if answer else 0

    def drop(self, name: str) -> None:
        """Remove a collection."""
        self._id_of.pop(name, None)
        self._call("DELETE", f"{_SPACE}/{quote(name)}", seconds=CHANGE_S)

    def leave(self, prefix: str) -> None:
        """Remove all collections with a prefix; the files of the server are its own."""
        for name in self.names():
            if name.startswith(prefix):
                self.drop(name)

    def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _ensure_collection(self, name: str) -> str:
        if name not in self._id_of:
            body = {
                "name": name,
                "configuration": {"hnsw": {"space": "cosine", "ef_search": 400}},
                "get_or_create": True,
            }
            self._id_of[name] = _read(self._call("POST", _SPACE, body), _Named).id
        return self._id_of[name]

    def _on(
        self, name: str, verb: str, body: dict[str, Any] | None, seconds: float | None = None
    ) -> bytes:
        """Call an operation of a collection; return no bytes when the collection is missing."""
        if name not in self._id_of:
            answer = self._call("GET", f"{_SPACE}/{quote(name)}")
            if not answer:
                return b""
            self._id_of[name] = _read(answer, _Named).id
        method = "GET" if body is None else "POST"
        answer = self._call(method, f"{_SPACE}/{self._id_of[name]}/{verb}", body, seconds)
        if not answer:
            self._id_of.pop(name, None)
        return answer

    def _call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        seconds: float | None = None,
    ) -> bytes:
        """Return the body of the answer; no bytes when the resource is missing.

        Raises:
            StoreError: the server does not answer, or refuses.
        """
        import httpx

        if self._session is None:
            raise _failed("the connection is closed", self.place)
        content = None if body is None else msgspec.json.encode(body)
        try:
            answer = self._session.request(
                method,
                path,
                content=content,
                headers={"content-type": "application/json"},
                timeout=httpx.Timeout(seconds or ASK_S, connect=CONNECT_S),
            )
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise _failed(str(error) or type(error).__name__, self.place) from error
        if answer.status_code == _MISSING:
            return b""
        if not answer.is_success:
            raise _failed(f"it answers {answer.status_code}", self.place)
        return answer.content


def _shown(url: str) -> str:
    """Return an address without the name and password in it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "an invalid address"
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _failed(reason: str, url: str) -> StoreError:
    return StoreError(
        f"the Chroma server cannot be used: {reason}",
        hint="check search.vector.chroma_url and that the server runs",
        place=url,
    )


def _read(answer: bytes, kind: type[T]) -> T:
    try:
        return decode_json(answer, kind)
    except msgspec.MsgspecError as error:
        raise StoreError(
            "the Chroma server cannot be used: it answers something else",
            hint="use a server of Chroma 1.0 or newer",
        ) from error
