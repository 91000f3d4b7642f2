"""Indexed homes for quality runs: filled once, read by every mode and every variant.

A home is filled under a ``.partial`` name and gets its real name when everything is indexed and
closed, so a home that is found is complete, and an interrupted run leaves nothing behind that a
later one would take for finished.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks.datasets.corpus import Conversation, DialogueSet, DocumentSet
from benchmarks.datasets.cranfield import as_markdown
from benchmarks.datasets.data import digest
from benchmarks.measure.results import IndexCost
from benchmarks.measure.stopwatch import Stopwatch, rate_of
from benchmarks.quality.product import Opener, Product
from recollect.audience.account import account

Progress = Callable[[str, int, int], None]
"""Told the stage, what is done of it, and its total."""

LAYOUT = "1"
"""Changes when the same data would be fed in another way, so that older homes are not reused."""

_MANIFEST = "indexed.json"


class IndexedHome(msgspec.Struct, frozen=True, kw_only=True):
    """A complete home, and which turn or document a hit stands for (see `hit_key`)."""

    folder: Path
    keys: dict[str, str]
    cost: IndexCost

    @property
    def home(self) -> Path:
        """The home folder of the product."""
        return self.folder / "home"

    @property
    def workspace(self) -> Path | None:
        """The folder of the memory files, where there are any."""
        workspace = self.folder / "workspace"
        return workspace if workspace.is_dir() else None

    def session_of(self, conversation: str) -> str:
        """Return the id of a session of a conversation."""
        hit = next(hit for hit, turn in self.keys.items() if turn.startswith(f"{conversation}/"))
        return hit.partition("#")[0]


class _Manifest(msgspec.Struct, frozen=True, kw_only=True):
    keys: dict[str, str]
    cost: IndexCost


def hit_key(session_id: str | None, seq: int | None, path: str | None) -> str:
    """Return the name under which ``keys`` of an `IndexedHome` knows a hit."""
    return path if path is not None else f"{session_id}#{seq}"


def conversation_key(conversation: Conversation) -> str:
    """Return the session key of a conversation: a direct chat whose peer is the conversation."""
    return f"agent:bench:benchmark:main:direct:{conversation.key}"


def conversation_user(key: str) -> str:
    """Return the account whose direct chat a conversation is, as a scope names it."""
    return str(account("benchmark", "main", key))


@contextmanager
def work_folder(keep: Path | None) -> Iterator[Path]:
    """Yield ``keep``, made where missing; or a folder that is gone afterwards."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with TemporaryDirectory(prefix="recollect-bench-") as name:
        yield Path(name)


@contextmanager
def complete_folder(final: Path) -> Iterator[Path]:
    """Yield an empty folder that is renamed to ``final`` if the body succeeds, else removed."""
    partial = final.with_name(final.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        partial.rename(final)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


class Homes:
    """Fills homes under a root, or finds them there.

    Args:
        root: Where the homes are kept.
        opener: Opens the product.
        progress: Told what goes on.
    """

    def __init__(self, root: Path, opener: Opener, progress: Progress) -> None:
        self._root = root
        self._open = opener
        self._progress = progress

    def of_conversations(
        self,
        data: DialogueSet,
        conversations: Sequence[Conversation],
        overrides: Mapping[str, str],
    ) -> IndexedHome:
        """Return a home that holds exactly these conversations.

        Raises:
            RecollectError: the product could not store or index them.
        """
        name = conversations[0].key if len(conversations) == 1 else f"{data.name} together"
        identity = [data.digest, *(conversation.key for conversation in conversations)]
        return self._prepared(
            name, identity, overrides, lambda folder: self._feed(folder, conversations, overrides)
        )

    def of_documents(self, data: DocumentSet, overrides: Mapping[str, str]) -> IndexedHome:
        """Return a home whose workspace holds every document as one memory file.

        Raises:
            RecollectError: the product could not index them.
        """
        return self._prepared(
            data.name,
            [data.digest],
            overrides,
            lambda folder: self._index_files(folder, data, overrides),
        )

    def _prepared(
        self,
        name: str,
        identity: Sequence[str],
        overrides: Mapping[str, str],
        fill: Callable[[Path], _Manifest],
    ) -> IndexedHome:
        whole = msgspec.json.encode([LAYOUT, identity, sorted(overrides.items())])
        final = self._root / f"{_slug(name)}-{digest(whole)}"
        if not (final / _MANIFEST).is_file():
            with complete_folder(final) as folder:
                manifest = fill(folder)
                (folder / _MANIFEST).write_bytes(msgspec.json.encode(manifest))
        manifest = msgspec.json.decode((final / _MANIFEST).read_bytes(), type=_Manifest)
        return IndexedHome(folder=final, keys=manifest.keys, cost=manifest.cost)

    def _feed(
        self, folder: Path, conversations: Sequence[Conversation], overrides: Mapping[str, str]
    ) -> _Manifest:
        store, index = Stopwatch(), Stopwatch()
        keys: dict[str, str] = {}
        with self._open(folder / "home", overrides=overrides) as memory:
            for done, conversation in enumerate(conversations):
                self._progress("storing", done, len(conversations))
                with store.lap():
                    keys |= _append(memory, conversation)
            self._progress("indexing", 0, 1)
            with index.lap():
                memory.sync()
        self._progress("indexing", 1, 1)
        return _manifest(folder, keys, store, index)

    def _index_files(
        self, folder: Path, data: DocumentSet, overrides: Mapping[str, str]
    ) -> _Manifest:
        store, index = Stopwatch(), Stopwatch()
        workspace = folder / "workspace"
        with store.lap():
            keys = _write_files(workspace / "memory", data)
        with self._open(folder / "home", workspace=workspace, overrides=overrides) as memory:
            self._progress("indexing", 0, 1)
            with index.lap():
                memory.sync()
        self._progress("indexing", 1, 1)
        return _manifest(folder, keys, store, index)


def _append(memory: Product, conversation: Conversation) -> dict[str, str]:
    keys: dict[str, str] = {}
    for session in conversation.sessions:
        stored = memory.sessions.create(key=conversation_key(conversation))
        messages = memory.sessions.append_many(
            stored.id,
            [
                {"role": turn.role, "content": turn.text, "name": turn.name, "at": turn.at}
                for turn in session.turns
            ],
        )
        for turn, message in zip(session.turns, messages, strict=True):
            keys[hit_key(stored.id, message.seq, None)] = turn.key
    return keys


def _write_files(folder: Path, data: DocumentSet) -> dict[str, str]:
    folder.mkdir(parents=True)
    keys: dict[str, str] = {}
    for document in data.documents:
        name = f"{document.key}.md"
        (folder / name).write_text(as_markdown(document), encoding="utf-8")
        keys[f"memory/{name}"] = document.key
    return keys


def _manifest(folder: Path, keys: dict[str, str], store: Stopwatch, index: Stopwatch) -> _Manifest:
    cost = IndexCost(
        home=folder.name.removesuffix(".partial"),
        stored=rate_of(len(keys), store.total()),
        indexed=rate_of(len(keys), index.total()),
    )
    return _Manifest(keys=keys, cost=cost)


def _slug(name: str) -> str:
    return "".join(char if char.isalnum() else "-" for char in name.lower())
