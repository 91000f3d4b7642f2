"""Batches of embeddings from the server's side: files, jobs and results, for `ProviderServer`.

`BatchService` is one of its services. A `Plan` says how a batch goes: how often it is still running
when somebody looks, how it ends, and which lines of its results are spoilt. The vectors are those
that the server gives directly. `staged` spoils one step of a batch and leaves the others alone.

Source: the API references of OpenAI, Voyage and Gemini, November 2026.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from email import message_from_bytes
from email.message import Message
from typing import Any, Literal

import msgspec

from tests.support.batch_formats import FORMATS, BatchFormat, Question
from tests.support.provider_formats import Received, Response, json_response, vector_of
from tests.support.provider_server import Fault, Turn

Stage = Literal["upload", "create", "list", "look", "download", "cancel", "delete", "other"]
Spoiling = Literal["missing", "error", "short", "nan", "null", "zero", "garbage", "stranger"]

_PATH = re.compile(r"/(openai|voyage|gemini)/(?:(upload|download)/)?v1(?:beta)?/([^?]*)(?:\?(.*))?")
_CREATE = re.compile(r"batches|models/[\w.-]+:asyncBatchEmbedContent")


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How a batch goes.

    Attributes:
        looks: How often it is still running when somebody looks.
        ends: How it is over then: ``completed``, ``failed`` or ``expired``.
        reason: The provider's code for why it failed.
        spoilt: Place of a line -> what is wrong with it.
        done: How many lines an expired or cancelled batch has done.
    """

    looks: int = 1
    ends: str = "completed"
    reason: str = "invalid_model"
    spoilt: Mapping[int, Spoiling] = {}
    done: int = 0


NEVER = Plan(looks=1_000_000)
"""A batch that is not over until it is cancelled."""


class Job(msgspec.Struct, kw_only=True):
    """A batch at the server."""

    id: str
    name: str
    provider: str
    questions: list[Question]
    plan: Plan
    looks: int = 0
    state: str = "running"
    results: str = ""
    errors: str = ""


class File(msgspec.Struct, frozen=True, kw_only=True):
    """A file at the server."""

    name: str
    content: bytes


class BatchService:
    """Answers what belongs to batches. Safe to use from several threads.

    Args:
        dimensions: Size of vectors where a request asks for none.
        plans: Of the next batches, one each; the others go well.
    """

    def __init__(self, *plans: Plan, dimensions: int = 8) -> None:
        self.plans = deque(plans)
        self.files: dict[str, File] = {}
        self.jobs: dict[str, Job] = {}
        self.stages: list[Stage] = []
        """Steps in the order of their requests, those that a fault spoilt among them."""
        self.texts: list[str] = []
        """Texts that batches embedded, and that are billed."""
        self._refused: dict[Stage, list[int]] = {}
        self._dimensions = dimensions
        self._lock = threading.Lock()

    def answer(self, received: Received) -> Response | None:
        """Return the answer to a step of a batch; None for any other request."""
        found = _PATH.fullmatch(received.path)
        stage = stage_of(received)
        if found is None or stage == "other":
            return None
        provider, _, path, _ = found.groups()
        with self._lock:
            self.stages.append(stage)
            refused = self._refused.get(stage)
            if refused:
                error = {"message": "not now", "code": "not_now", "status": "UNAVAILABLE"}
                return json_response({"error": error}, refused.pop())
            return self._step(stage, FORMATS[provider], path, received)

    def refuse(self, stage: Stage, status: int, times: int = 1) -> None:
        """Refuse the next requests for a step and do nothing of them; a fault spoils the answer."""
        self._refused[stage] = [status] * times

    def count(self, stage: Stage) -> int:
        """Return how many requests there were for a step."""
        return self.stages.count(stage)

    def _step(self, stage: Stage, format_: BatchFormat, path: str, received: Received) -> Response:
        match stage:
            case "upload":
                return self._upload(format_, received)
            case "create":
                return self._create(format_, received)
            case "list":
                own = [job for job in self.jobs.values() if job.provider == format_.provider]
                return json_response(format_.listed([format_.shown(job) for job in own]))
            case "download":
                return self._download(path)
            case "delete":
                return self._delete(path)
            case _:
                return self._known(stage, format_, path.removesuffix("/cancel").split(":")[0])

    def _upload(self, format_: BatchFormat, received: Received) -> Response:
        parts = _parts(received)
        name = f"{format_.file_prefix}in-{len(self.files)}"
        self.files[name] = File(name=format_.upload_name(parts), content=_content(parts[-1]))
        return json_response(format_.uploaded(name))

    def _create(self, format_: BatchFormat, received: Received) -> Response:
        start = format_.start(received)
        file = self.files.get(start.file)
        if file is None:
            return json_response({"error": {"message": "no such file", "code": "not_found"}}, 404)
        id_ = f"{format_.batch_prefix}{len(self.jobs)}"
        self.jobs[id_] = Job(
            id=id_,
            name=start.name,
            provider=format_.provider,
            questions=[format_.question(line, start) for line in file.content.splitlines()],
            plan=self.plans.popleft() if self.plans else Plan(),
        )
        return json_response(format_.shown(self.jobs[id_]))

    def _known(self, stage: Stage, format_: BatchFormat, id_: str) -> Response:
        job = self.jobs.get(id_.removeprefix("batches/") if format_.provider != "gemini" else id_)
        if job is None:
            return json_response({"error": {"message": "no such batch", "code": "not_found"}}, 404)
        if stage == "cancel" and job.state == "running":
            self._end(job, format_, "cancelled")
        elif stage == "look":
            self._look(job, format_)
        return json_response(format_.shown(job))

    def _look(self, job: Job, format_: BatchFormat) -> None:
        job.looks += 1
        if job.state == "running" and job.looks > job.plan.looks:
            self._end(job, format_, job.plan.ends)

    def _end(self, job: Job, format_: BatchFormat, state: str) -> None:
        job.state = state
        whole = state == "completed"
        done = job.questions if whole else job.questions[: job.plan.done]
        if state == "failed" or not done:
            return
        results, errors = [], []
        for position, question in enumerate(done):
            spoiling = job.plan.spoilt.get(position)
            vector = vector_of(question.text, question.dimensions or self._dimensions)
            line = spoilt_line(format_, question, vector, spoiling)
            if spoiling == "error" and format_.has_error_file:
                errors.append(line)
            elif spoiling != "missing":
                results.append(line)
            if spoiling is None:
                self.texts.append(question.text)
        # The order of results is not that of the texts.
        job.results = self._made(
            f"{format_.file_prefix}out-{job.looks}-{len(self.files)}", results[::-1]
        )
        job.errors = self._made(f"{format_.file_prefix}err-{len(self.files)}", errors)

    def _made(self, name: str, lines: list[bytes]) -> str:
        if not lines:
            return ""
        self.files[name] = File(name=name, content=b"\n".join(lines) + b"\n")
        return name

    def _download(self, path: str) -> Response:
        name = path.removesuffix("/content").removesuffix(":download")
        file = self.files.get(name) or self.files.get(name.removeprefix("files/"))
        if file is None:
            return json_response({"error": {"message": "no such file", "code": "not_found"}}, 404)
        return Response(body=file.content, headers={"content-type": "application/jsonl"})

    def _delete(self, path: str) -> Response:
        known = path if path in self.files else path.removeprefix("files/")
        self.files.pop(known, None)
        return json_response({"id": known, "deleted": True})


def stage_of(received: Received) -> Stage:
    """Return which step of a batch a request is."""
    found = _PATH.fullmatch(received.path)
    if found is None:
        return "other"
    _, service, path, _ = found.groups()
    if received.method == "DELETE":
        return "delete"
    if received.method == "GET":
        return _reading(path)
    if service == "upload" or path == "files":
        return "upload"
    if path.endswith(("/cancel", ":cancel")):
        return "cancel"
    return "create" if _CREATE.fullmatch(path) else "other"


def staged(**faults: Sequence[Fault | None]) -> Fault:
    """Return a fault for `ProviderServer.always` that spoils the named steps, in their order.

    Args:
        faults: Step, such as ``create`` -> its faults, one a request; None lets one through.
    """
    left = {stage: deque(wanted) for stage, wanted in faults.items()}

    def fault(turn: Turn) -> None:
        waiting = left.get(stage_of(turn.received))
        found = waiting.popleft() if waiting else None
        if found is None:
            turn.send()
        else:
            found(turn)

    return fault


def spoilt_line(
    format_: BatchFormat, question: Question, vector: list[float], spoiling: Spoiling | None
) -> bytes:
    """Return the line of the results for a text, spoilt as asked for."""
    match spoiling:
        case "error":
            return msgspec.json.encode(format_.failed(question.key))
        case "garbage":
            return b'{"custom_id": "' + question.key.encode()
        case "short":
            vector = vector[:-1]
        case "zero":
            vector = [0.0] * len(vector)
        case "stranger":
            question = msgspec.structs.replace(question, key="0" * 64)
        case _:
            pass
    line = msgspec.json.encode(format_.result(question.key, vector))
    if spoiling in {"nan", "null"}:
        value = b"NaN" if spoiling == "nan" else b"null"
        line = re.sub(rb"\[-?\d[^,\]]*", b"[" + value, line, count=1)
    return line


def _reading(path: str) -> Stage:
    if path == "batches":
        return "list"
    if path.endswith(("/content", ":download")):
        return "download"
    return "look" if path.startswith("batches/") else "other"


def _parts(received: Received) -> list[Message[str, str]]:
    head = f"content-type: {received.headers['content-type']}\r\n\r\n".encode()
    found: Any = message_from_bytes(head + received.body).get_payload()
    return list(found)


def _content(part: Message[str, str]) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""
