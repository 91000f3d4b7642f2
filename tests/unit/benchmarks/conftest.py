"""A scripted memory of the shape that benchmarks use, and small data sets written for the tests."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from benchmarks.quality.product import Mode
from recollect.core.errors import ModelMissing
from recollect.core.scope import Scope
from recollect.models.embedding.embedder import Embedder


class ScriptedMessage(msgspec.Struct, kw_only=True):
    """A stored message."""

    session_id: str
    seq: int
    text: str
    user: str


class ScriptedHit(msgspec.Struct, kw_only=True):
    """A hit of the scripted memory."""

    session_id: str | None = None
    seq: int | None = None
    path: str | None = None
    snippet: str = ""


class ScriptedAnswer(msgspec.Struct, kw_only=True):
    """An answer of the scripted memory."""

    hits: list[ScriptedHit]
    mode: str
    warnings: list[str] = []


class ScriptedSession(msgspec.Struct, kw_only=True):
    """A created session."""

    id: str


class ScriptedMemory:
    """Counts shared words; keeps its messages in one file of the home."""

    def __init__(self, home: Path, workspace: Path | None, opener: ScriptedOpener) -> None:
        self._file = home / "scripted.json"
        self._workspace = workspace
        self._opener = opener
        self._users: dict[str, str] = {}
        self._messages: list[ScriptedMessage] = []
        home.mkdir(parents=True, exist_ok=True)
        if self._file.exists():
            self._messages = msgspec.json.decode(
                self._file.read_bytes(), type=list[ScriptedMessage]
            )
        self._first_session = len({message.session_id for message in self._messages})

    @property
    def sessions(self) -> ScriptedMemory:
        """Return itself: one object plays both parts."""
        return self

    def create(self, *, key: str) -> ScriptedSession:
        """Start a session for the peer named in the key."""
        session = ScriptedSession(id=f"s{self._first_session + len(self._users)}")
        self._users[session.id] = key.rpartition(":")[2]
        return session

    def append(
        self,
        session_id: str,
        role: str,
        content: str,
        *,
        name: str | None = None,
        at: int | None = None,
    ) -> ScriptedMessage:
        """Store one message."""
        return self.append_many(session_id, [{"role": role, "content": content}])[0]

    def append_many(
        self, session_id: str, messages: Sequence[Mapping[str, object]]
    ) -> list[ScriptedMessage]:
        """Store messages with the next places of the session."""
        seq = sum(message.session_id == session_id for message in self._messages)
        added = [
            ScriptedMessage(
                session_id=session_id,
                seq=seq + position,
                text=str(message["content"]),
                user=self._users[session_id],
            )
            for position, message in enumerate(messages, start=1)
        ]
        self._messages += added
        return added

    def sync(self) -> None:
        """Count the call; interrupt when told to."""
        self._opener.syncs += 1
        if self._opener.fail_on_sync:
            raise KeyboardInterrupt

    def reindex(self) -> None:
        """Do nothing: there is no index."""

    def search(
        self,
        query: str,
        *,
        limit: int,
        min_score: float | None = None,
        sources: Sequence[str] | None = None,
        scope: Scope | None = None,
        for_session: str | None = None,
        mode: Mode | None = None,
    ) -> ScriptedAnswer:
        """Rank by the number of shared words."""
        if mode == "vector" and "vector" not in self._opener.modes:
            raise ModelMissing("the model is not installed", hint="recollect models install")
        if mode == "hybrid" and "hybrid" not in self._opener.modes:
            return ScriptedAnswer(hits=[], mode="lexical", warnings=["no embedder"])
        user = scope.user if scope else None
        candidates = self._files() if sources == ("memory",) else self._turns(user)
        wanted = _words(query)
        scored = [(len(wanted & _words(text)), hit) for hit, text in candidates]
        scored = [pair for pair in scored if pair[0]]
        scored.sort(key=lambda pair: -pair[0])
        return ScriptedAnswer(hits=[hit for _, hit in scored[:limit]], mode=mode or "lexical")

    def _turns(self, user: str | None) -> list[tuple[ScriptedHit, str]]:
        return [
            (
                ScriptedHit(
                    session_id=message.session_id, seq=message.seq, snippet=message.text[:200]
                ),
                message.text,
            )
            for message in self._messages
            if user in {None, message.user}
        ]

    def _files(self) -> list[tuple[ScriptedHit, str]]:
        assert self._workspace is not None
        paths = sorted(self._workspace.rglob("*.md"))
        return [
            (ScriptedHit(path=str(path.relative_to(self._workspace))), path.read_text("utf-8"))
            for path in paths
        ]

    def __enter__(self) -> ScriptedMemory:
        return self

    def __exit__(self, *_details: object) -> None:
        self._file.write_bytes(msgspec.json.encode(self._messages))


class ScriptedOpener:
    """Opens scripted memories and remembers how it was asked to."""

    def __init__(self) -> None:
        self.modes: set[Mode] = {"lexical", "vector", "hybrid"}
        self.opened: list[dict[str, object]] = []
        self.syncs = 0
        self.fail_on_sync = False

    def __call__(
        self,
        home: Path,
        *,
        workspace: Path | None = None,
        overrides: Mapping[str, object] | None = None,
        embedder: Embedder | None = None,
    ) -> ScriptedMemory:
        """Open the memory of a home."""
        self.opened.append(dict(overrides or {}))
        return ScriptedMemory(home, workspace, self)


def _words(text: str) -> set[str]:
    return set(text.lower().replace("?", " ").replace(".", " ").split())


def silent(_stage: str, _done: int, _total: int) -> None:
    """Show nothing."""


@pytest.fixture
def opener() -> ScriptedOpener:
    """An opener of scripted memories."""
    return ScriptedOpener()


@pytest.fixture
def progress() -> object:
    """A progress that shows nothing."""
    return silent


def _turn(speaker: str, key: str, text: str, caption: str | None = None) -> dict[str, str]:
    turn = {"speaker": speaker, "dia_id": key, "text": text}
    return turn if caption is None else turn | {"blip_caption": caption, "query": "leak"}


def _conversation(name: str, first: str, second: str, hobby: str) -> dict[str, object]:
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": first,
            "speaker_b": second,
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                _turn(first, "D1:1", f"I started {hobby} yesterday."),
                _turn(second, "D1:2", "Lovely, look at this.", "a photo of a lake"),
            ],
            "session_2_date_time": "12:05 am on 1 June, 2023",
            "session_2": [
                _turn(first, "D2:1", "My brother moved to Lisbon."),
                _turn(second, "D2:2", "When did that happen?"),
            ],
            "session_3_date_time": "12:05 am on 2 June, 2023",
            "session_3": [],
        },
        "qa": [
            {
                "question": f"Who started {hobby}?",
                "answer": "SECRET-ANSWER",
                "evidence": ["D1:1"],
                "category": 4,
            },
            {
                "question": "Where did the brother move?",
                "answer": 7,
                "evidence": ["D2:01; D1:2"],
                "category": 1,
            },
            {"question": "Is there a lake?", "evidence": ["D9:9", "D"], "category": 3},
            {
                "question": "Who moved to Lisbon?",
                "adversarial_answer": "SECRET-ANSWER",
                "evidence": ["D2:1"],
                "category": 5,
            },
        ],
    }


@pytest.fixture
def data_folder(tmp_path: Path) -> Path:
    """A benchmark data folder in miniature, in the published formats."""
    folder = tmp_path / "bench-data"
    _write_locomo(folder / "locomo")
    _write_beam(folder / "beam" / "100K")
    _write_cranfield(folder / "cranfield")
    _write_longmemeval(folder / "longmemeval")
    return folder


def _write_locomo(folder: Path) -> None:
    folder.mkdir(parents=True)
    conversations = [
        _conversation("conv-1", "Ann", "Bo", "pottery"),
        _conversation("conv-2", "Cy", "Di", "rowing"),
    ]
    (folder / "locomo-dev.json").write_text(json.dumps(conversations), "utf-8")
    audit = [
        {
            "question": "Who started pottery?",
            "category": 4,
            "cited_evidence": ["D1:1"],
            "correct_evidence": ["D1:2"],
        },
        {"question": "Who started rowing?", "category": 4, "error_type": "WRONG_ANSWER"},
    ]
    (folder / "audit-dev.json").write_text(json.dumps(audit), "utf-8")


def _write_beam(folder: Path) -> None:
    folder.mkdir(parents=True)
    texts = ["I use Flask", "Good choice", "I moved to Django", "Noted", "The deadline is Friday"]
    anchors = ["March-15-2024", None, "April-05-2024", None, None]
    chat = {
        "chat_size": "100K",
        "chat_id": 1,
        "messages": [
            {
                "id": position,
                "batch": 1 + position // 2,
                "turn": 0,
                "role": "assistant" if position % 2 else "user",
                "time_anchor": anchor,
                "question_type": "leak",
                "content": text,
            }
            for position, (text, anchor) in enumerate(zip(texts, anchors, strict=True))
        ],
        "probing_questions": {
            "abstention": [{"question": "What is my name?"}],
            "knowledge_update": [
                {
                    "question": "Which framework, Django or Flask?",
                    "source_chat_ids": {"original_info": [0], "updated_info": [2, 2]},
                    "answer": "SECRET-ANSWER",
                },
                {"question": "No ids?"},
            ],
            "event_ordering": [{"question": "When is the deadline?", "source_chat_ids": [4, 99]}],
            "preference_following": [
                {"question": "No ids either?", "preference_being_tested": "I prefer Django."}
            ],
        },
    }
    (folder / "01.json.gz").write_bytes(gzip.compress(json.dumps(chat).encode()))


def _write_cranfield(folder: Path) -> None:
    folder.mkdir(parents=True)
    documents = [
        {"_id": "1", "title": "wings in a slipstream", "text": "wings in a slipstream lift more"},
        {"_id": "2", "title": "heated plates", "text": "heated plates a plate grows hot"},
        {"_id": "3", "title": "", "text": ""},
    ]
    queries = [
        {"_id": "1", "text": "lift of wings", "orig_num": "7"},
        {"_id": "2", "text": "never judged"},
    ]
    corpus = "\n".join(json.dumps(document) for document in documents)
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(corpus.encode()))
    (folder / "queries.jsonl").write_text(
        "".join(json.dumps(query) + "\n" for query in queries), "utf-8"
    )
    (folder / "qrels.tsv").write_text("q\td\tscore\n1\t1\t1\n1\t2\t0\n1\t77\t1\n", "utf-8")


def _write_longmemeval(folder: Path) -> None:
    folder.mkdir(parents=True)
    record = {
        "question_id": "q",
        "question_type": "single-session-user",
        "question": "Which degree did I finish?",
        "answer": "SECRET-ANSWER",
        "answer_session_ids": ["answer_1"],
        "haystack_session_ids": ["answer_1", "x"],
        "haystack_dates": ["2023/05/21 (Sun) 02:21", "2023/05/20 (Sat) 02:57"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I did finish my biology degree", "has_answer": True},
                {"role": "assistant", "content": "Congratulations"},
            ],
            [{"role": "user", "content": "hello", "has_answer": False}],
        ],
    }
    (folder / "one_question_full_haystack.json.gz").write_bytes(
        gzip.compress(json.dumps([record]).encode())
    )
