"""The given vectors as LangChain has embeddings: what several peers ask for."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings

from benchmarks.peers.store import VectorsByText


class GivenEmbeddings(Embeddings):  # type: ignore[misc]
    """Embeds by looking up."""

    def __init__(self, vectors: VectorsByText) -> None:
        self._vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vector of each text."""
        return [self._vectors(text).tolist() for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a question."""
        return self.embed_documents([text])[0]
