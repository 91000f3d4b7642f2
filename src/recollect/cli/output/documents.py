"""What `--json` prints, by command: the types that the schemas of the documents are made from.

Nothing imports this module but what makes or checks schemas.
"""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from recollect.answers.checkpoint import (
    CheckpointAnswer,
    CheckpointList,
    CheckpointWithPaths,
    ConversationRewind,
    RewindAnswer,
    RewindList,
    RootList,
)
from recollect.answers.context import InjectionList
from recollect.answers.doctor import DoctorFindings
from recollect.answers.episode import EpisodeList
from recollect.answers.fact import FactHistory, FactList
from recollect.answers.file import FileList
from recollect.answers.hit import FoundHits, HitLines
from recollect.answers.hook import HookDelivery
from recollect.answers.identity import IdentityList, ProposalList, ResolvedIdentity
from recollect.answers.imported import ImportAnswer, RecordsAnswer
from recollect.answers.index import ShownSync
from recollect.answers.message import ExportedLines, MessageAround
from recollect.answers.model import UseList
from recollect.answers.observation import ObservationList
from recollect.answers.project import PauseList, ProjectList
from recollect.answers.session import (
    ListedSessions,
    SessionTranscript,
    SessionTree,
    ShownSession,
)
from recollect.answers.token import TokenList, TokenPlace
from recollect.checkpoints.soundness import FsckReport
from recollect.cli.chat.chat import ChatReplies
from recollect.cli.config.config import ConfigPlace, SettingMeaning, SettingValue
from recollect.cli.config.foreign import TakenSettings
from recollect.cli.models import ModelRows, ModelsInUse, RemovedModel
from recollect.cli.sessions.modes import Key
from recollect.cli.setup.connecting import Connected, Leaving, PastedEntry, Started
from recollect.cli.setup.sample import Demo
from recollect.cli.setup.serve import StartedWorker, Stopped
from recollect.cli.setup.service import Service
from recollect.cli.setup.viewer import OpenedViewer
from recollect.core.events import AnyEvent
from recollect.core.settings.resolve import Explained
from recollect.exchange.export import HomeExportReport
from recollect.exchange.recover import RecoverReport
from recollect.exchange.session_export import ExportReport
from recollect.governance.backup import BackupReport
from recollect.governance.erasure_receipt import ErasureReceipt
from recollect.governance.plan import PruneReport
from recollect.governance.restore import RestoreReport
from recollect.governance.scrubbing import ScrubReceipt
from recollect.governance.tokens import IssuedToken, Token
from recollect.index.indexing.preview import Preview
from recollect.knowledge.fact import Fact, Remembered
from recollect.models.local.added import AddedModel
from recollect.models.local.install import Installed
from recollect.observations.controls import CaptureCheck, Pause
from recollect.observations.observation import Observation
from recollect.observations.project_rows import Project
from recollect.recall.context.block import ContextBlock
from recollect.recall.context.sections import SectionResult
from recollect.recall.maintenance import Synced
from recollect.recall.steps.detail import DetailBatch
from recollect.recall.steps.lines import Timeline
from recollect.respond.channels.channels import ChannelsStatus, SenderList
from recollect.respond.channels.senders import Sender
from recollect.server.home.status import ShownStatus
from recollect.server.worker.daemon import WorkerState
from recollect.sessions.context.episode import Episode
from recollect.sessions.context.flush import Flushed
from recollect.sessions.context.view import ContextView
from recollect.sessions.context.window import Compacted
from recollect.sessions.context.working_memory import SessionState
from recollect.sessions.identities import LinkCode, LinkedAccount, LinkedPerson
from recollect.sessions.policy.conversation import ModeRules
from recollect.sessions.proposals import IdentityProposal
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.store.audit import AuditEntry
from recollect.workspace.reading import ReadResult


def _in_the_journal(kind: Any) -> Any:
    """Return the type of an event with the fields that `RecordedEvent.document` adds."""
    beside: list[Any] = [("actor", str | None)]
    if "seq" not in kind.__struct_fields__:  # as of a message
        beside.append(("seq", int))
    return msgspec.defstruct(kind.__name__, beside, bases=(kind,), kw_only=True)


DOCUMENTS: dict[str, tuple[Any, ...]] = {
    "init": (Started, Service, Connected, PastedEntry),
    "demo": (Demo,),
    "open": (OpenedViewer,),
    "import": (ImportAnswer, RecordsAnswer),
    "export": (HomeExportReport, ExportReport, ExportedLines),
    "chat": (ChatReplies,),
    "search": (FoundHits, HitLines),
    "timeline": (Timeline,),
    "get": (ReadResult, DetailBatch, MessageAround),
    "context": (ContextBlock, InjectionList),
    "memory": (FileList,),
    "memory sync-section": (SectionResult,),
    "remember": (Remembered,),
    "facts": (FactList,),
    "facts list": (FactList,),
    "facts review": (FactList,),
    "facts history": (FactHistory,),
    "facts fade": (FactList,),
    **{f"facts {name}": (Fact,) for name in "correct forget restore replace pin".split()},
    "episodes": (EpisodeList,),
    **{f"episodes {name}": (EpisodeList,) for name in "list search create".split()},
    "episodes show": (Episode,),
    "observe": (Observation, ObservationList),
    "forget": (ObservationList,),
    "sessions": (ListedSessions,),
    "sessions list": (ListedSessions,),
    "sessions show": (ShownSession,),
    "sessions tree": (SessionTree,),
    "sessions view": (ContextView,),
    "sessions compact": (Compacted,),
    "sessions flush": (Flushed,),
    "sessions say": (Message,),
    "sessions key": (Key,),
    "sessions mode": (ModeRules,),
    "sessions state": (SessionState,),
    **{
        f"sessions {name}": (Session,)
        for name in "start resume fork reset end rename archive restore delete model".split()
    },
    "transcript": (SessionTranscript,),
    "events": (*map(_in_the_journal, get_args(AnyEvent)), AuditEntry),
    "projects": (ProjectList,),
    "projects list": (ProjectList,),
    "projects alias": (Project,),
    "projects merge": (Project,),
    "sync": (ShownSync, Preview, Synced),
    "reindex": (ShownSync, Preview),
    "pause": (Pause,),
    "resume": (PauseList,),
    "privacy": (CaptureCheck,),
    "privacy check": (CaptureCheck,),
    "checkpoint take": (CheckpointAnswer,),
    "checkpoint list": (CheckpointList,),
    "checkpoint show": (CheckpointWithPaths,),
    "checkpoint roots": (RootList,),
    "rewind": (RewindAnswer, RewindList, ConversationRewind),
    "checkpoint fsck": (FsckReport,),
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
    "status": (ShownStatus,),
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
    "identities": (IdentityList,),
    "identities list": (IdentityList,),
    "identities resolve": (ResolvedIdentity,),
    "identities link": (LinkedPerson,),
    "identities unlink": (LinkedAccount,),
    "identities code": (LinkCode,),
    "identities confirm": (LinkedPerson,),
    "identities proposals": (ProposalList,),
    "identities accept": (LinkedPerson,),
    "identities dismiss": (IdentityProposal,),
    "token list": (TokenList,),
    "channels": (SenderList,),
    "channels list": (SenderList,),
    "channels allow": (Sender,),
    "channels deny": (Sender,),
    "channels status": (ChannelsStatus,),
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
    schemas, components = msgspec.json.schema_components(
        DOCUMENTS[command], ref_template="#/$defs/{name}"
    )
    whole = schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}
    return {"title": f"recollect {command} --json", **whole, "$defs": components}
