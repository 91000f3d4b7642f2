"""mem0 as it is installed, without a language model: texts as they are, in its local Qdrant."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

os.environ["MEM0_TELEMETRY"] = "False"

from mem0 import Memory, __version__

from benchmarks.peers.adapters.given import GivenEmbeddings
from benchmarks.peers.store import DIMENSIONS, Item, Question, VectorsByText

VERSION = __version__

_USER = "user"


class Peer:
    """One user's memory; each text is one memory."""

    def __init__(self, folder: Path, vectors: VectorsByText) -> None:
        folder.mkdir(exist_ok=True)
        place = {
            "collection_name": "texts",
            "path": str(folder / "qdrant"),
            "on_disk": True,
            "embedding_model_dims": DIMENSIONS,
        }
        embeddings = GivenEmbeddings(vectors)
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": place},
                "embedder": {
                    "provider": "langchain",
                    "config": {"model": embeddings},
                },
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": str(folder / "history.db"),
            }
        )

    def add(self, items: Sequence[Item]) -> None:
        """Store texts one by one: there is no other way without a language model."""
        for item in items:
            self._memory.add(
                item.said, user_id=_USER, infer=False, metadata={"number": item.number}
            )

    def settle(self) -> None:
        """Nothing is left to do."""

    def ask(self, question: Question, count: int) -> list[int]:
        """Return the nearest memories."""
        found = self._memory.search(
            question.text, top_k=count, filters={"user_id": _USER}, threshold=0.0
        )
        return [int(each["metadata"]["number"]) for each in found["results"]]

    def close(self) -> None:
        """Leave it to the end of the process."""
