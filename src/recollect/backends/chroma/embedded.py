"""Chroma inside our process, in a folder of the home. One process at a time may open it.

Its package is heavy, so it is imported when the back end is opened and never before. Its telemetry
and its own embedding are off.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from recollect.core.clock import Clock
from recollect.core.errors import StoreError
from recollect.core.settings import forbid_telemetry
from recollect.index.vectors.port import Floats
from recollect.store.failures import translate_os
from recollect.store.files import private_folder
from recollect.store.locks import OwnerLock

FOLDER = "chroma"
LOCK = "chroma.lock"

T = TypeVar("T")


class ChromaEmbedded:
    """Implements `ChromaClient`.

    Args:
        home: Its folder is made there, 0700.
        clock: Dates the holder of the lock.
    """

    place = ""

    def __init__(self, home: Path, clock: Clock) -> None:
        self._folder = home / FOLDER
        self._owner = OwnerLock(home / LOCK, clock)
        self._client: Any = None

    def open(self) -> None:
        """Take the folder and open it."""
        if not self._owner.held and not self._owner.acquire("chroma"):
            raise StoreError(
                "another process has the embedded Chroma",
                hint="run a Chroma server and set search.vector.chroma_url",
            )
        try:
            _tried(self._opened)
        except BaseException:
            self._owner.release()
            raise

    def names(self) -> list[str]:
        """Return the names of all collections."""
        return _tried(
            lambda: [str(collection.name) for collection in self._opened().list_collections()]
        )

    def put(self, name: str, ids: Sequence[str], vectors: Floats) -> None:
        """Store vectors."""
        _tried(lambda: self._made(name).upsert(ids=list(ids), embeddings=vectors))

    def remove(self, name: str, ids: Sequence[str]) -> None:
        """Remove vectors."""
        self._on(name, lambda collection: collection.delete(ids=list(ids)), None)

    def nearest(self, name: str, vector: Floats, most: int) -> list[str]:
        """Return the ids of the nearest vectors, best first."""

        def ask(collection: Any) -> list[str]:
            answer = collection.query(query_embeddings=vector[None, :], n_results=most, include=[])
            return list(answer["ids"][0])

        return self._on(name, ask, [])

    def ids(self, name: str) -> list[str]:
        """Return all ids of a collection."""
        return self._on(name, lambda collection: list(collection.get(include=[])["ids"]), [])

    def count(self, name: str) -> int:
        """Return the number of vectors in a collection."""
        return self._on(name, lambda collection: int(collection.count()), 0)

    def drop(self, name: str) -> None:
        """Remove a collection."""
        self._on(name, lambda _: self._opened().delete_collection(name), None)

    def leave(self, prefix: str) -> None:
        """Remove the folder, since Chroma keeps the bytes of deleted data in its files."""
        self._let_go()
        try:
            shutil.rmtree(self._folder)
        except OSError as error:
            raise translate_os(error, self._folder) from error

    def close(self) -> None:
        """Close the folder and release its lock."""
        self._let_go()
        self._owner.release()

    def _let_go(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            _tried(client.close)

    def _opened(self) -> Any:
        if not self._owner.held:
            raise StoreError("the embedded Chroma is closed", hint="open it again")
        if self._client is None:
            self._client = _connect(private_folder(self._folder))
        return self._client

    def _made(self, name: str) -> Any:
        return self._opened().get_or_create_collection(
            name,
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": 400}},
        )

    def _on(self, name: str, action: Callable[[Any], T], missing: T) -> T:
        """Run an action on a collection; return ``missing`` where there is none."""

        def call_action() -> T:
            from chromadb.errors import NotFoundError

            try:
                collection = self._opened().get_collection(name, embedding_function=None)
            except NotFoundError:
                return missing
            return action(collection)

        return _tried(call_action)


def _connect(folder: Path) -> Any:
    forbid_telemetry()  # it brings ONNX Runtime along
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that it brings along
        import chromadb
        from chromadb.config import Settings
    settings = Settings(anonymized_telemetry=False)
    return chromadb.PersistentClient(path=str(folder), settings=settings)


def _tried(action: Callable[[], T]) -> T:
    try:
        return action()
    except ImportError as error:
        raise StoreError(
            "the package chromadb is not installed", hint='run `pip install "recollect[chroma]"`'
        ) from error
    except StoreError:
        raise
    except Exception as error:  # its errors have no common class of their own
        raise StoreError(
            f"the embedded Chroma failed: {type(error).__name__}",
            hint="remove the folder chroma of the home; it is filled again",
        ) from error
