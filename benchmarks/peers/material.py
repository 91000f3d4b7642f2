"""The material of a race: texts, questions and their vectors, as files that every peer can read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from benchmarks.datasets.corpus import Conversation, Question
from benchmarks.datasets.synthetic import FUNCTION_WORDS, SyntheticCorpus, content_words
from benchmarks.load.clustered import ClusteredEmbedder
from benchmarks.peers.store import said
from recollect.core.errors import NotFound
from recollect.core.settings import EmbeddingSettings, models_folder
from recollect.models.embedding.embedder import Embedder
from recollect.models.registry import create_embedder

MESSAGE_WORDS = 60
QUESTION_WORDS = 8
"""Half of them common."""
_BLOCK = 2_000
_START = 1_700_000_000_000
_SESSION = 30


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the texts; ``at`` is ms UTC."""

    text: str
    session: str
    role: str
    name: str | None
    at: int


def local_embedder() -> Embedder:
    """Return the installed local model.

    Raises:
        NotFound: it is not installed.
    """
    found = create_embedder("local", EmbeddingSettings(), models_folder())
    if found is None:
        raise NotFound("the local model is missing", hint="run `recollect models install`")
    return found


def write_synthetic(folder: Path, texts: int, questions: int, seed: int) -> None:
    """Write made-up texts of 60 words in sessions of 30, and questions of 8 words.

    A question has four content words of one text and four function words; its vector is near that
    of the text.
    """
    targets = {number * texts // questions for number in range(questions)}
    asked: list[tuple[str, str]] = []
    embedder = ClusteredEmbedder(seed)
    with _Files(folder) as files:
        block: list[Text] = []
        for number, text in enumerate(_sixty_words(seed, texts)):
            if number in targets:
                asked.append((_question_for(text.text, seed, number), text.text))
            block.append(text)
            if len(block) == _BLOCK or number == texts - 1:
                files.add(block, embedder)
                block = []
        near = ClusteredEmbedder(seed, dict(asked))
        files.ask([question for question, _ in asked], near)


def write_conversation(
    folder: Path, conversation: Conversation, questions: Sequence[Question], embedder: Embedder
) -> list[str]:
    """Write a conversation with its questions; return the keys of its turns, in order."""
    turns = [(session.key, turn) for session in conversation.sessions for turn in session.turns]
    with _Files(folder) as files:
        files.add(
            [
                Text(text=turn.text, session=key, role=turn.role, name=turn.name, at=turn.at)
                for key, turn in turns
            ],
            embedder,
        )
        files.ask([question.text for question in questions], embedder)
    return [turn.key for _, turn in turns]


def _sixty_words(seed: int, count: int) -> Iterator[Text]:
    """Yield texts of sixty words each, which the sessions of the corpus are cut into anew."""
    corpus = SyntheticCorpus(seed)
    words: list[str] = []
    session = made = 0
    while made < count:
        for turn in corpus.session(session).turns:
            words += turn.text.split()
            if len(words) >= MESSAGE_WORDS and made < count:
                text, words = " ".join(words[:MESSAGE_WORDS]), words[MESSAGE_WORDS:]
                yield Text(
                    text=text,
                    session=str(made // _SESSION),
                    role="assistant" if made % 2 else "user",
                    name=None,
                    at=_START + made * 60_000,
                )
                made += 1
        session += 1


def _question_for(text: str, seed: int, number: int) -> str:
    random = np.random.default_rng((seed, 3, number))
    half = QUESTION_WORDS // 2
    content = random.permutation(content_words(text))[:half]
    common = random.permutation(FUNCTION_WORDS)[:half]
    return " ".join(random.permutation([*content, *common]))


class _Files:
    """The four files of a folder while they are written."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._texts = (folder / "texts.jsonl").open("wb")
        self._vectors = (folder / "texts.f32").open("wb")
        self._folder = folder

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *_: object) -> None:
        self._texts.close()
        self._vectors.close()

    def add(self, texts: Sequence[Text], embedder: Embedder) -> None:
        """Write some texts with their vectors."""
        self._texts.write(msgspec.json.Encoder().encode_lines(texts))
        vectors = embedder.embed_documents([said(each.name, each.text) for each in texts])
        self._vectors.write(np.ascontiguousarray(vectors, dtype=np.float32).tobytes())

    def ask(self, questions: Sequence[str], embedder: Embedder) -> None:
        """Write the questions with their vectors."""
        lines = msgspec.json.Encoder().encode_lines(questions)
        (self._folder / "questions.jsonl").write_bytes(lines)
        vectors = np.stack([embedder.embed_query(question) for question in questions])
        vectors.astype(np.float32).tofile(self._folder / "questions.f32")
