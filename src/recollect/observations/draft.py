"""Drafts: observations that are checked, redacted, classified and shortened, and lack their place.

All the work that needs no database is done here, on the caller's thread. Nothing leaves this module
that was not redacted.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, get_args

import msgspec

from recollect.core.checks import (
    MAX_LABEL_CHARS,
    check_event_id,
    check_share,
    check_text,
    check_texts,
)
from recollect.core.clock import Clock, IdSource, check_time
from recollect.core.errors import InvalidInput
from recollect.observations.classify import CLASSIFIER_VERSION, importance_of, trust_of, type_of
from recollect.observations.moments.evidence import Evidence
from recollect.observations.observation import Made, Observation, Trust
from recollect.observations.payload import Payload, payload_of
from recollect.observations.summary import (
    LONGEST_PATH,
    LONGEST_SUMMARY,
    LONGEST_TITLE,
    MOST_FILES,
    clipped,
    describe,
    files_of,
)
from recollect.text.json_value import JsonCleaner, JsonValue
from recollect.text.secret_redactor import SecretRedactor
from recollect.text.tokens import estimate_tokens

MAX_PAYLOAD_BYTES = 16 * 1024 * 1024
"""Largest input or output. Ten megabytes of tool output are real; more is a file."""


class GivenObservation(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller passes to `Observations.record`; fields as its arguments."""

    session_id: str
    tool_name: str | None = None
    type: str | None = None
    input: Any = None
    output: Any = None
    summary: str | None = None
    importance: float | None = None
    event_id: str | None = None
    title: str | None = None
    files: Any = None
    error: str | None = None
    trust: Trust | None = None
    tool_use_id: str | None = None
    message_id: str | None = None
    agent_id: str | None = None
    event: Made | None = None
    at: int | datetime | None = None
    project: str | None = None

    def __post_init__(self) -> None:
        """Refuse values for which capture cannot be decided."""
        check_text(self.session_id, "session id")
        for name, what in ((self.tool_name, "tool name"), (self.project, "project")):
            if name is not None:
                check_text(name, what)


class ObservationDraft(msgspec.Struct, frozen=True, kw_only=True):
    """An observation that can be stored as it is.

    Attributes:
        observation: The observation; its owner, number and blobs are not known yet.
        input: What the tool was given.
        output: What came back.
    """

    observation: Observation
    input: Payload
    output: Payload


KEPT = "/kept"
"""How ``made_by`` ends where a model gave no usable words."""
BY_RULE = ("type", "importance", "title", "summary")
"""What the rules make where the caller does not give it."""
BY_HAND = "hand"
"""``made_by`` of an observation that was changed by hand."""


class ObservationDrafts:
    """Makes drafts of what callers pass.

    Args:
        clock: Tells when it happened, where that is not given.
        ids: Gives the observations their ids.
        redactor: Takes secrets out; None stores texts as they come.
    """

    def __init__(self, clock: Clock, ids: IdSource, redactor: SecretRedactor | None) -> None:
        self._clock = clock
        self._ids = ids
        self._redactor = redactor

    def make(
        self,
        request: GivenObservation,
        *,
        is_owners: bool,
        is_redacted: bool = False,
        folder: str | None = None,
    ) -> ObservationDraft:
        """Return the draft of an observation, without the secrets of its session.

        A value that a rule names in one of its fields is taken out of all of them.

        Args:
            request: What the caller passes.
            is_owners: Whether the turn that it belongs to is the owner's.
            is_redacted: Whether input, output and error come out of a draft of a message.
            folder: The project of the session, from which paths are seen.

        Raises:
            InvalidInput: a field cannot be stored.
        """
        if self._redactor is None or is_redacted:
            return self._draft_of(
                request, is_owners=is_owners, is_redacted=is_redacted, folder=folder
            )

        def make(redactor: SecretRedactor) -> ObservationDraft:
            drafts = ObservationDrafts(self._clock, self._ids, redactor)
            # A private method of one of ours.
            return drafts._draft_of(request, is_owners=is_owners, is_redacted=False, folder=folder)

        return self._redactor.session(request.session_id, make)

    def changes(
        self,
        of: Observation,
        *,
        title: str | None,
        summary: str | None,
        type: str | None,
        importance: float | None,
    ) -> dict[str, Any]:
        """Return the fields that a change by hand gives an observation, without secrets.

        Raises:
            InvalidInput: a field cannot be stored.
        """

        def make(redactor: SecretRedactor | None) -> dict[str, Any]:
            drafts = ObservationDrafts(self._clock, self._ids, redactor)
            fields: dict[str, Any] = {"made_by": BY_HAND}
            if title is not None:
                fields["title"] = drafts._words(title, "title", LONGEST_TITLE)
            if summary is not None:
                fields["summary"] = drafts._words(summary, "summary", LONGEST_SUMMARY)
            if type is not None:
                fields["type"] = drafts._name(type, "type")
            if importance is not None:
                fields["importance"] = check_share(importance, "importance")
            if not fields.get("title", of.title):
                raise InvalidInput("the title must not be empty", hint="leave it out to keep it")
            words = fields.get("title", of.title), fields.get("summary", of.summary)
            grown = sum(map(estimate_tokens, words)) - sum(
                map(estimate_tokens, (of.title, of.summary))
            )
            return fields | {"tokens": max(0, of.tokens + grown)}

        redactor = self._redactor
        return make(None) if redactor is None else redactor.session(of.session_id, make)

    def _draft_of(
        self,
        request: GivenObservation,
        *,
        is_owners: bool,
        is_redacted: bool,
        folder: str | None,
    ) -> ObservationDraft:
        clean = (lambda it: it) if is_redacted else self._payload
        evidence = self._evidence(request, request.project or folder, clean)
        files = files_of(evidence) if request.files is None else self._files(request.files)
        trust = trust_of(evidence, is_owners=is_owners)
        kind = (
            type_of(evidence, files) if request.type is None else self._name(request.type, "type")
        )
        description = describe(evidence, files, trust)
        title = self._words(request.title, "title", LONGEST_TITLE) or description.title
        summary = self._words(request.summary, "summary", LONGEST_SUMMARY) or description.summary
        if request.title is None and request.summary:
            title = clipped(summary, LONGEST_TITLE)
        request_text, came = _text_of(evidence.input), evidence.output
        for text in (request_text, came):
            check_payload(text)
        observation = Observation(
            id=self._ids.new(),
            number=0,
            session_id=request.session_id,
            type=kind,
            tool_name=evidence.tool_name,
            title=title,
            summary=summary,
            input="",
            output="",
            input_blob=None,
            output_blob=None,
            tokens=sum(map(estimate_tokens, (title, summary, request_text, came))),
            importance=_importance(request.importance, evidence, kind),
            trust=trust,
            files=files,
            error=description.error,
            message_id=self._id(request.message_id, "message id"),
            tool_use_id=self._id(request.tool_use_id, "tool use id"),
            agent_id=self._id(request.agent_id, "agent id"),
            event=evidence.event,
            event_id=self._id(request.event_id, "event id"),
            made_by=made_by(name for name in BY_RULE if getattr(request, name) is not None),
            created_at=self._clock.now_ms() if request.at is None else check_time(request.at),
            is_forgotten=False,
            tenant="",
            agent=None,
            user=None,
            project=None if request.project is None else self._name(request.project, "project"),
            turn_sender=None,
        )
        return ObservationDraft(
            observation=observation, input=payload_of(request_text), output=payload_of(came)
        )

    def _evidence(
        self, request: GivenObservation, folder: str | None, clean: Callable[[Any], JsonValue]
    ) -> Evidence:
        tool = None if request.tool_name is None else self._name(request.tool_name, "tool name")
        error = None if request.error is None else clean(check_text(request.error, "error"))
        return Evidence(
            event=event_of(request),
            tool_name=tool,
            input=clean(request.input),
            output=_text_of(clean(request.output)) or (error or ""),
            error=error,
            said=self._words(request.summary or request.title, "summary", LONGEST_SUMMARY),
            trust=None if request.trust is None else _one_of(request.trust, Trust, "trust"),
            project=folder,
        )

    def _payload(self, value: object) -> JsonValue:
        if isinstance(value, str):
            check_payload(value)  # here as well: to look 16 MB through for secrets takes seconds
        return self._value(value)

    def _value(self, value: object) -> JsonValue:
        cleaned = JsonCleaner().value(value)
        if self._redactor is None:
            return cleaned
        is_text = isinstance(cleaned, str)
        return self._redactor.text(cleaned) if is_text else self._redactor.value(cleaned)

    def _text(self, text: object, what: str) -> str:
        redacted: str = self._value(check_text(text, what))
        return redacted

    def _words(self, text: str | None, what: str, most: int) -> str:
        return "" if text is None else clipped(self._text(text, what), most)

    def _name(self, text: object, what: str) -> str:
        value = JsonCleaner().value(check_text(text, what))
        # As a value: the same few names recur, and the redactor caches values.
        redacted = value if self._redactor is None else self._redactor.value(value)
        name = " ".join(redacted.split())
        if not 0 < len(name) <= MAX_LABEL_CHARS:
            raise InvalidInput(
                f"the {what} must have 1 to {MAX_LABEL_CHARS} characters", hint="shorten it"
            )
        return name

    def _id(self, text: str | None, what: str) -> str | None:
        if text is None:
            return None
        try:
            plain = check_event_id(text)
        except InvalidInput as error:
            raise InvalidInput(f"the {what} must be a printable text", hint=error.hint) from error
        return plain if self._redactor is None else self._redactor.identifier(plain)

    def _files(self, files: object) -> tuple[str, ...]:
        texts = check_texts(files, "files")
        paths = [clipped(self._text(path, "path"), LONGEST_PATH) for path in texts]
        return tuple(dict.fromkeys(filter(None, paths)))[:MOST_FILES]


def made_by(fields: Iterable[str]) -> str:
    """Return the version of the rules, and the fields that a caller gave instead of them.

    >>> made_by(()), made_by(["type", "title"])
    ('rules-2', 'rules-2 but type title')
    """
    names = list(fields)
    return " ".join([CLASSIFIER_VERSION, *(["but", *names] if names else [])])


FIELDS = GivenObservation.__struct_fields__


def parse_observation(item: object) -> GivenObservation:
    """Return a dict with the argument names of `Observations.record` as a value.

    Raises:
        InvalidInput: a name is unknown, or the session id is missing.
    """
    if not isinstance(item, Mapping) or "session_id" not in item:
        raise InvalidInput("an observation must be a dict with a session_id", hint=_names())
    unknown = [str(name) for name in item if name not in FIELDS]
    if unknown:
        near = difflib.get_close_matches(unknown[0], FIELDS, 1)
        suggestion = f"did you mean {near[0]}? " if near else ""
        raise InvalidInput("an observation has unknown fields", hint=_names(suggestion))
    return GivenObservation(**item)


def _names(suggestion: str = "") -> str:
    return f"{suggestion}use {', '.join(FIELDS)}"


def event_of(request: GivenObservation) -> Made:
    """Return the event of an observation: as given, else by its tool, else ``manual``."""
    if request.event is not None:
        event: Made = _one_of(request.event, Made, "event")
        return event
    if request.tool_name is None:
        return "manual"
    return "tool" if request.error is None else "tool_failed"


def _one_of(value: Any, kind: object, what: str) -> Any:
    values = get_args(kind)
    if value in values:
        return value
    raise InvalidInput(f"unknown {what} of an observation", hint=f"use one of {', '.join(values)}")


def _importance(importance: float | None, evidence: Evidence, kind: str) -> float:
    return (
        importance_of(evidence, kind)
        if importance is None
        else check_share(importance, "importance")
    )


def _text_of(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def check_payload(text: str) -> None:
    """Refuse an input or output that is too large.

    Raises:
        InvalidInput: it has more than `MAX_PAYLOAD_BYTES`.
    """
    most = MAX_PAYLOAD_BYTES
    if len(text) * 4 > most and len(text.encode("utf-8", "surrogatepass")) > most:
        raise InvalidInput(
            f"an input or output of an observation is larger than {MAX_PAYLOAD_BYTES} bytes",
            hint="keep large things in files, and name the files",
        )
