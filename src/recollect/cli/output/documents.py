"""What `--json` prints, by command: the types that the schemas of the documents are made from.

A document that is one value is described by that value's type. What a command puts together is
described here; nothing imports this module but what makes or checks schemas.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias, TypedDict, get_args

import msgspec

from recollect.cli.config.foreign import Taken
from recollect.cli.doctor.check_result import CheckResult
from recollect.cli.models import ModelRows, ModelsInUse, RemovedModel
from recollect.cli.setup.connecting import Connected, Leaving, PastedEntry, Started
from recollect.cli.setup.service import Service
from recollect.core.events import AnyEvent
from recollect.core.settings.resolve import Explained
from recollect.exchange.export import HomeExportReport
from recollect.exchange.intake import ExchangeReport
from recollect.exchange.recover import RecoverReport
from recollect.exchange.report import ImportReport
from recollect.exchange.session_export import ExportReport
from recollect.governance.backup import BackupReport
from recollect.governance.erasure import ErasureReceipt
from recollect.governance.plan import PruneReport
from recollect.governance.restore import RestoreReport
from recollect.governance.scrubbing import ScrubReceipt
from recollect.governance.tokens import IssuedToken, Token
from recollect.governance.use_preview import UsePreview
from recollect.hook.spool import SpoolState
from recollect.index.indexing.preview import Preview
from recollect.index.model.sync_report import SyncReport
from recollect.index.query.hit import Hit, SearchResult
from recollect.models.local.added import AddedModel
from recollect.models.local.install import Installed
from recollect.observations.controls import CaptureCheck, Pause
from recollect.observations.observation import Observation
from recollect.observations.project_rows import Project
from recollect.recall.context.block import ContextBlock
from recollect.recall.context.injections import Injection
from recollect.recall.context.sections import SectionResult
from recollect.recall.maintenance import Synced
from recollect.recall.probe import Probe
from recollect.recall.status import Status
from recollect.recall.steps.detail import DetailBatch
from recollect.recall.steps.lines import IndexLine, Timeline
from recollect.server.presence import Presence
from recollect.server.worker.daemon import WorkerState
from recollect.sessions.context.compaction import Compaction
from recollect.sessions.context.flush import Flushed
from recollect.sessions.context.view import ContextView
from recollect.sessions.context.window import Compacted
from recollect.sessions.lease import Lease
from recollect.sessions.policy.conversation import ModeRules
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.store.audit import AuditEntry
from recollect.workspace.reading import ReadResult


class StatusBeside(TypedDict):
    """What a status has beside what the memory says."""

    spool: SpoolState
    worker: WorkerState
    embedding_probe: NotRequired[Probe]
    vector_probe: NotRequired[bool]


class SyncBeside(TypedDict):
    """What a sync has beside the report of the index."""

    spooled: int
    took_ms: float


class HitBeside(TypedDict):
    """What a hit has from its index line."""

    type: str | None
    title: str | None
    tokens: int | None


class SearchBeside(TypedDict):
    """What a search has beside its result."""

    query: str
    took_ms: float
    tokens: int


class SearchLines(TypedDict):
    """What ``search --lines`` found."""

    query: str
    took_ms: float
    lines: list[IndexLine]
    mode: str
    confidence: float
    warnings: list[str]
    tokens: int


class MessageAround(TypedDict):
    """A message among its neighbours."""

    message: Message
    before: list[Message]
    after: list[Message]
    tokens: int


class DoctorFindings(TypedDict):
    """What the doctor found."""

    healthy: bool
    fixed: list[str]
    checks: list[CheckResult]


class SettingValue(TypedDict):
    """A setting, and where its value comes from."""

    value: Any
    origin: str


SettingMeaning = TypedDict(
    "SettingMeaning",
    {
        "key": str,
        "value": Any,
        "origin": str,
        "default": Any,
        "must be": str,
        "unit": str,
        "variable": str,
        "what for": str,
    },
)


class ConfigPlace(TypedDict):
    """Where config.yaml is."""

    path: str
    exists: bool


class TakenSettings(TypedDict):
    """The settings of another program, and what became of each."""

    file: str
    dry_run: bool
    settings: list[Taken]


class ListedSessions(TypedDict):
    """Sessions, and whether there are more."""

    sessions: list[Session]
    more: bool


class SessionBeside(TypedDict):
    """What a session has beside its row."""

    lease: Lease | None
    compactions: list[Compaction]
    grown: dict[str, list[str]]


class SessionBranch(TypedDict):
    """A session of a tree."""

    depth: int
    relation: str
    session: Session


class SessionTree(TypedDict):
    """The forks and resets that a session belongs to."""

    session: str
    branches: list[SessionBranch]


class SessionTranscript(TypedDict):
    """What was said in a session."""

    session: Session
    messages: list[Message]


class ExportedLines(TypedDict):
    """A transcript in the form of a program."""

    session_id: str
    format: str
    lines: list[Any]


class Key(TypedDict):
    """A session key."""

    key: str


class ObservationList(TypedDict):
    """Observations."""

    observations: list[Observation]
    missing: NotRequired[list[str]]


class PauseList(TypedDict):
    """What is still paused."""

    pauses: list[Pause]


class ListedProjects(TypedDict):
    """All projects."""

    projects: list[Project]


class InjectionList(TypedDict):
    """What was injected last."""

    injections: list[Injection]


class FileList(TypedDict):
    """Files that have a section."""

    files: list[str]


class UseList(TypedDict):
    """What each use of the language model would take."""

    uses: list[UsePreview]


class TokenList(TypedDict):
    """Who may call the worker, and where the owner's token is."""

    tokens: list[Token]
    file: str


class TokenPlace(TypedDict):
    """Where the owner's token is."""

    path: str


class HookDelivery(TypedDict):
    """What the worker answered an event; the form is the client's."""

    answer: Any
    took_ms: float


class StartedWorker(TypedDict):
    """A worker that started."""

    home: str
    worker: Presence
    token: str


class Stopped(TypedDict):
    """The worker that was stopped; null where none ran."""

    stopped: Presence | None


class DemoAnswer(TypedDict):
    """A question of the demo."""

    question: str
    shows: str
    took_ms: float
    right: bool
    result: SearchResult


class Demo(TypedDict):
    """The demo."""

    home: str
    reused: bool
    imported: ImportReport
    import_ms: float
    synced: SyncReport
    sync_ms: float
    load_ms: float
    answers: list[DemoAnswer]


class EventBeside(TypedDict):
    """What an event has in the journal."""

    seq: int
    actor: str | None


Form: TypeAlias = Any | tuple[Any, ...]
"""A type, or several whose fields are in one object; a later field replaces an earlier."""

DOCUMENTS: dict[str, tuple[Form, ...]] = {
    "init": (Started, Service, Connected, PastedEntry),
    "demo": (Demo,),
    "import": (ImportReport, ExchangeReport),
    "export": (HomeExportReport, ExportReport, ExportedLines),
    "search": ((SearchResult, SearchBeside, {"hits": (Hit, HitBeside)}), SearchLines),
    "timeline": (Timeline,),
    "get": (ReadResult, DetailBatch, MessageAround),
    "context": (ContextBlock, InjectionList),
    "memory": (FileList,),
    "memory sync-section": (SectionResult,),
    "observe": (Observation, ObservationList),
    "forget": (ObservationList,),
    "sessions": (ListedSessions,),
    "sessions show": ((Session, SessionBeside),),
    "sessions tree": (SessionTree,),
    "sessions view": (ContextView,),
    "sessions compact": (Compacted,),
    "sessions flush": (Flushed,),
    "sessions say": (Message,),
    "sessions key": (Key,),
    "sessions mode": (ModeRules,),
    **{
        f"sessions {name}": (Session,)
        for name in "start resume fork reset end rename archive restore delete".split()
    },
    "transcript": (SessionTranscript,),
    "events": (*((kind, EventBeside) for kind in get_args(AnyEvent)), AuditEntry),
    "projects": (ListedProjects,),
    "projects list": (ListedProjects,),
    "projects alias": (Project,),
    "projects merge": (Project,),
    "sync": ((SyncReport, SyncBeside), Preview, Synced),
    "reindex": ((SyncReport, SyncBeside), Preview),
    "pause": (Pause,),
    "resume": (PauseList,),
    "privacy": (CaptureCheck,),
    "privacy check": (CaptureCheck,),
    "prune": (PruneReport,),
    "recover": (RecoverReport,),
    "scrub": (ScrubReceipt,),
    "erase": (ErasureReceipt,),
    "backup": (BackupReport,),
    "restore": (RestoreReport,),
    "serve": (StartedWorker,),
    "serve stop": (Stopped,),
    "serve status": (WorkerState,),
    "hook": (HookDelivery,),
    "status": ((Status, StatusBeside),),
    "doctor": (DoctorFindings,),
    "config": (dict[str, SettingValue],),
    "config get": (Explained,),
    "config explain": (SettingMeaning,),
    "config set": (Explained,),
    "config unset": (Explained,),
    "config path": (ConfigPlace,),
    "config import": (TakenSettings,),
    "config schema": (dict[str, Any],),
    "token": (TokenList,),
    "token add": (IssuedToken,),
    "token list": (TokenList,),
    "token rotate": (TokenPlace,),
    "token revoke": (Token,),
    "models": (ModelsInUse,),
    "models install": (Installed,),
    "models add": (AddedModel,),
    "models list": (ModelRows,),
    "models remove": (RemovedModel,),
    "models uses": (UseList,),
    "uninstall": (Leaving,),
}
"""Command -> the forms that its document can have. `mcp` speaks JSON-RPC and prints none."""


def schema_of(command: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a command's document; ``KeyError`` for an unknown one."""
    forms = DOCUMENTS[command]
    kinds = list(dict.fromkeys(_kinds(forms)))
    schemas, components = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    known = dict(zip(map(_name, kinds), schemas, strict=True))
    made = [_form(form, known, components) for form in forms]
    whole = made[0] if len(made) == 1 else {"anyOf": made}
    return {
        "title": f"recollect {command} --json",
        **whole,
        "$defs": components,
    }


def _kinds(form: Form) -> list[Any]:
    if isinstance(form, tuple):
        return [kind for each in form for kind in _kinds(each)]
    return _kinds(tuple(form.values())) if isinstance(form, dict) else [form]


def _name(kind: Any) -> str:
    return repr(kind)


def _form(form: Form, known: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a form; what is put together has no name of its own."""
    if not isinstance(form, tuple):
        found: dict[str, Any] = known[_name(form)]
        return found
    whole: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
    for each in form:
        if isinstance(each, dict):
            lists = {name: _form(item, known, components) for name, item in each.items()}
            part: dict[str, Any] = {
                "properties": {n: {"type": "array", "items": item} for n, item in lists.items()}
            }
        else:
            part = components[known[_name(each)]["$ref"].rpartition("/")[2]]
        whole["properties"] |= part["properties"]
        whole["required"] += [n for n in part.get("required", ()) if n not in whole["required"]]
    return whole
