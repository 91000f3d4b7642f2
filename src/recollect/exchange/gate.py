"""Checks, redacts and filters what comes into a home, before it is stored.

Anyone may have made a valid document: each text is redacted by the rules of this home, and nothing
is stored that this home does not capture. A transcript of a project that is not captured is left
unread, and not noted as read, so that it comes once it may; of others, messages of a pause and some
calls of tools are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from recollect.core.clock import Clock, IdSource
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope, includes_user
from recollect.exchange.lines import Record, compaction_in, iso_ms, session_in
from recollect.exchange.rows.facts import sound_line
from recollect.knowledge.fact import BY_HAND
from recollect.knowledge.mirror import FactLine
from recollect.observations.controls import CaptureControls
from recollect.observations.draft import ObservationDraft, check_payload
from recollect.observations.observation import Observation
from recollect.observations.payload import payload_of
from recollect.observations.project_lines import ProjectLine
from recollect.observations.recorder import ObservationParts
from recollect.observations.summary import LONGEST_SUMMARY, LONGEST_TITLE, clipped
from recollect.sessions.context.compaction import Compaction
from recollect.sessions.context.episode import Episode
from recollect.sessions.context.working_memory import StateLine
from recollect.sessions.mirror.mirror_lines import CompactionLine, MessageLine, SessionLine
from recollect.sessions.record.access import MirrorSignal
from recollect.sessions.record.draft import Draft, DraftMaker
from recollect.sessions.record.lineage import Withdrawal
from recollect.sessions.record.session import Session
from recollect.store.blobs import Blobs
from recollect.store.engine import Database
from recollect.store.paths import check_id
from recollect.text.secret_redactor import SecretRedactor
from recollect.text.tokens import estimate_tokens

_CALLS = frozenset({"tool_use", "toolCall", "function_call"})
_RESULTS = frozenset({"tool_result", "toolResult", "function_call_output"})
_TOOLS = _CALLS | _RESULTS
_ARGUMENTS = ("input", "arguments", "args")
_INNER = (MessageLine, CompactionLine, Withdrawal, StateLine, Observation)


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """The home that an import writes into.

    Attributes:
        database: ``records.db``.
        blobs: The store of long payloads.
        clock: Dates what is new.
        ids: Gives rows their ids.
        drafts: Checks and redacts messages.
        redactor: Takes secrets out of all else; None stores texts as they come.
        scope: The owner of all records.
        controls: Decides what is not captured, and knows which paths are one project.
        arrived: Notified after each transaction that added something.
        observed: Returns the recorder of the tools of transcripts; None records none.
        workspace: The folder for memory files; None for nowhere.
    """

    database: Database
    blobs: Blobs
    clock: Clock
    ids: IdSource
    drafts: DraftMaker
    redactor: SecretRedactor | None
    scope: Scope
    controls: CaptureControls
    arrived: MirrorSignal
    observed: Callable[[], ObservationParts] | None = None
    workspace: Path | None = None


class IncomingSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that may be created.

    Attributes:
        session: The session to create; its id and links are those of the document.
        line: Its line in the document.
        refused: Why all of it is left out: ``excluded`` or ``denied``; None where it is imported.
    """

    session: Session
    line: SessionLine
    refused: str | None


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """A record that is left out: missing messages matter for later references to seqs."""

    seq: int = 0


Incoming: TypeAlias = (
    IncomingSession
    | Draft
    | Gap
    | Compaction
    | Withdrawal
    | StateLine
    | ObservationDraft
    | Episode
    | FactLine
    | ProjectLine
)


class CallFilter:
    """Takes calls of tools out of messages, and their results when they come.

    Args:
        is_withheld: Returns whether a call with a name and arguments is left out.
    """

    def __init__(self, is_withheld: Callable[[str, object], bool]) -> None:
        self._is_withheld = is_withheld
        self._waiting: set[str] = set()
        """Calls whose results are still to come."""
        self.calls = 0
        """The number of calls taken out."""

    def kept(self, content: Any) -> Any:
        """Return a content without the blocks of such calls; None if nothing is left of it."""
        if not isinstance(content, list):
            return content
        remaining = [block for block in content if not self.takes(block)]
        return remaining if remaining or not content else None

    def takes(self, block: Any) -> bool:
        """Return whether a block is a call that is left out, or the result of one."""
        if not is_of_tool(block):
            return False
        name = block.get("name")
        is_call = block["type"] in _CALLS
        goes = isinstance(name, str) and self._is_withheld(name, _arguments(block))
        if is_call:
            call = block.get("id") or block.get("call_id")
            self.calls += goes
            if goes and isinstance(call, str):
                self._waiting.add(call)
            return goes
        call = str(block.get("tool_use_id") or block.get("call_id") or block.get("toolCallId"))
        is_answer = call in self._waiting
        self._waiting.discard(call)
        return goes or is_answer


def is_of_tool(block: Any) -> bool:
    """Return whether a block is the call of a tool, or the result of one."""
    return isinstance(block, Mapping) and block.get("type") in _TOOLS


def _arguments(block: Mapping[str, Any]) -> object:
    return next((block[name] for name in _ARGUMENTS if name in block), None)


class Gate:
    """Prepares records of a document for storing.

    Args:
        to: Where they are stored.
    """

    def __init__(self, to: Destination) -> None:
        self._drafts, self._redactor, self._scope = to.drafts, to.redactor, to.scope
        self._rule, project = to.controls, to.scope.project
        self._mine = () if project is None else {*to.controls.projects.paths(project), project}
        """The paths of the project of the scope; none if it has no project."""
        self._session: Session | None = None
        self._verdict = to.controls.verdict(None)
        self._is_refused = False
        self._calls = CallFilter(self._skips)
        self.left_out: Counter[str] = Counter()
        """Counts of what was left out, by reason."""

    def pass_(self, record: Record) -> Incoming | None:
        """Return a record as it may be stored; None where none of it may be.

        Raises:
            InvalidInput: part of it cannot be stored.
        """
        if self._is_refused and isinstance(record, _INNER):
            return Gap()
        try:
            return self._passed(record)
        except (msgspec.MsgspecError, ValueError, OverflowError) as error:
            raise InvalidInput("a record cannot be stored", hint="leave it out") from error

    def _passed(self, record: Record) -> Incoming | None:
        match record:
            case SessionLine():
                return self._new_session(record)
            case MessageLine():
                return self._message(record)
            case CompactionLine():
                compaction = compaction_in(record, "")
                return msgspec.structs.replace(compaction, summary=self._text(compaction.summary))
            case Withdrawal():
                check_id(record.id)
                return record
            case StateLine():
                return self._state(record)
            case Observation():
                return self._observation(record)
            case Episode():
                return self._episode(record)
            case FactLine():
                return self._fact(record)
            case ProjectLine():
                return self._project(record)
        return None

    def _new_session(self, line: SessionLine) -> IncomingSession:
        incoming = session_in(line)
        ids = self._drafts.identifiers({"key": incoming.key, "foreign_id": incoming.foreign_id})
        label = self._drafts.label
        session = msgspec.structs.replace(
            incoming,
            **ids,
            tenant=self._scope.tenant,
            agent=incoming.agent or self._scope.agent,
            user=incoming.user or self._scope.user,
            project=self._scope.project
            if incoming.project is None
            else label(incoming.project, "project"),
            title=None if incoming.title is None else label(incoming.title, "title"),
            metadata=self._drafts.facts(incoming.metadata),
            overrides=self._drafts.facts(incoming.overrides),
        )
        self._session = session
        self._calls = CallFilter(self._skips)
        refused = self._refused(session)
        self._is_refused = refused is not None
        return IncomingSession(session=session, line=line, refused=refused)

    def _refused(self, session: Session) -> str | None:
        mine = self._scope
        is_mine = (
            mine.agent in {None, session.agent}
            and (mine.user in {None, session.user} or includes_user(mine, session.user))
            and (not self._mine or session.project in self._mine)
        )
        if not is_mine:
            return "denied"
        self._verdict = self._rule.verdict(session.project)
        return None if self._verdict.reason() is None else "excluded"

    def _message(self, line: MessageLine) -> Draft | Gap:
        at = iso_ms(line.at)
        content = self._kept(msgspec.json.decode(line.content), at)
        if content is None:
            return Gap(seq=line.seq)
        ids = self._drafts.identifiers(
            {
                "event_id": line.event_id,
                "foreign_id": line.foreign_id,
                "sender": line.sender,
                "turn_sender": line.turn_sender,
            }
        )
        turn_sender = ids.pop("turn_sender")
        draft = self._drafts.message(
            line.role,
            content,
            name=line.name,
            at=at,
            metadata=msgspec.json.decode(bytes(line.metadata) or b"{}"),
            is_checked=True,
            event_id=ids["event_id"],
            foreign_id=ids["foreign_id"],
            sender=ids["sender"],
        )
        facts: dict[str, Any] = {
            "id": line.id,
            "seq": line.seq,
            "number": line.number or 0,
            "turn_sender": turn_sender,
            "recorded_at": at if line.recorded_at is None else iso_ms(line.recorded_at),
        }
        message = msgspec.structs.replace(draft.message, **facts)
        return msgspec.structs.replace(draft, message=message)

    def _kept(self, content: Any, at: int) -> Any:
        """Return the part of a message that is captured; None for nothing."""
        if self._verdict.reason(at) is not None:
            self.left_out["withheld"] += 1
            return None
        before = self._calls.calls
        remaining = self._calls.kept(content)
        self.left_out["calls"] += self._calls.calls - before
        return remaining

    def _skips(self, tool: str, arguments: object) -> bool:
        folder = None if self._session is None else self._session.project
        return self._rule.skips_call(tool, arguments, folder)

    def _state(self, state: StateLine) -> StateLine | None:
        if self._verdict.reason(state.updated_at) is not None:
            self.left_out["withheld"] += 1
            return None
        steps = (msgspec.structs.replace(each, text=self._text(each.text)) for each in state.steps)
        ids = self._drafts.identifiers({"turn_sender": state.turn_sender})
        return msgspec.structs.replace(
            state, task=self._text(state.task), steps=tuple(steps), **ids
        )

    def _observation(self, item: Observation) -> ObservationDraft | None:
        for payload in (item.input, item.output):
            check_payload(payload)
        input_, output = self._text(item.input), self._text(item.output)
        if self._verdict.reason(item.created_at) is not None:
            self.left_out["withheld"] += 1
            return None
        if item.tool_name is not None and self._skips(item.tool_name, [input_, *item.files]):
            self.left_out["calls"] += 1
            return None
        ids = {
            name: getattr(item, name)
            for name in ("event_id", "tool_use_id", "agent_id", "message_id", "turn_sender")
        }
        title = clipped(self._text(item.title), LONGEST_TITLE)
        summary = clipped(self._text(item.summary), LONGEST_SUMMARY)
        facts = self._drafts.identifiers(ids) | {
            "title": title,
            "summary": summary,
            "type": self._drafts.label(item.type, "type"),
            "tool_name": self._label(item.tool_name),
            "project": self._label(item.project),
            "error": None if item.error is None else self._text(item.error),
            "files": tuple(map(self._text, item.files)),
            "tokens": _tokens(item, (title, summary, input_, output)),
        }
        payloads = payload_of(input_), payload_of(output)
        redacted = msgspec.structs.replace(
            item,
            **facts,
            input=payloads[0].text,
            output=payloads[1].text,
            input_blob=payloads[0].digest,
            output_blob=payloads[1].digest,
        )
        return ObservationDraft(observation=redacted, input=payloads[0], output=payloads[1])

    def _episode(self, episode: Episode) -> Episode | None:
        if self._rule.verdict(episode.project).reason(episode.ended_at) is not None:
            self.left_out["withheld"] += 1
            return None
        return msgspec.structs.replace(
            episode,
            summary=self._text(episode.summary),
            deeds=self._text(episode.deeds),
            topics=tuple(map(self._text, episode.topics)),
            project=self._label(episode.project),
        )

    def _fact(self, fact: FactLine) -> FactLine | None:
        is_by_hand = fact.made_by == BY_HAND
        reason = self._rule.verdict(fact.project).reason(fact.valid_from)
        if not is_by_hand and reason is not None:
            self.left_out["withheld"] += 1
            return None
        names = ("account", "peer", "turn_sender")
        ids = self._drafts.identifiers({name: getattr(fact, name) for name in names})
        sound = sound_line(fact, self._text)
        return msgspec.structs.replace(sound, **ids, project=self._label(fact.project))

    def _project(self, project: ProjectLine) -> ProjectLine:
        facts: Mapping[str, Any] = {
            name: None if getattr(project, name) is None else self._text(getattr(project, name))
            for name in ("name", "root", "remote", "clone")
        }
        aliases = tuple((self._text(path), kind, at) for path, kind, at in project.aliases)
        return msgspec.structs.replace(project, **facts, aliases=aliases)

    def _label(self, text: str | None) -> str | None:
        return None if text is None else self._drafts.label(text, "name")

    def _text(self, text: str) -> str:
        return text if self._redactor is None else self._redactor.text(text)


def _tokens(item: Observation, texts: tuple[str, ...]) -> int:
    """Return the tokens of an observation: its own figure where none of its text was removed."""
    is_same = texts == (item.title, item.summary, item.input, item.output)
    return item.tokens if item.tokens and is_same else sum(map(estimate_tokens, texts))
