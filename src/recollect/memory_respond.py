"""The responder of a memory: joins sessions, search, context, facts and the language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from recollect.core.clock import zone_of
from recollect.knowledge.own_facts import OwnFacts
from recollect.models.dependencies import Dependencies
from recollect.models.http.retry import RetryClock
from recollect.models.registry import choose_language
from recollect.respond.commands.chat_commands import ChatCommands
from recollect.respond.commands.command import CommandParts
from recollect.respond.prompt import PURPOSE, PromptMaker, PromptParts
from recollect.respond.responder import Responder, ResponderParts
from recollect.respond.tools import MemoryTools, ToolMemory
from recollect.store.usage_ledger import LANGUAGE, UsageLedger

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.models.language.model import LanguageModel
    from recollect.rooms import Rooms
    from recollect.sessions.record.session import Session


def responder_of(memory: Memory, rooms: Rooms) -> Responder:
    """Return the responder of a memory.

    Args:
        memory: Its calls are on behalf of the session and the sender that are answered.
        rooms: Those of the memory.
    """
    settings, sessions, context = rooms.settings, rooms.sessions, memory.context
    parts, conversations = rooms.context_parts, rooms.home.conversations()
    calls = ToolMemory(
        search=memory.search,
        lines=memory.lines,
        get=memory.get,
        read=memory.read,
        remember=memory.facts.remember,
    )

    def toolbox(session: Session, sender: str | None) -> MemoryTools:
        group = sessions.visibility_group(session.id, sender)
        return MemoryTools(calls, session.id, sender, parts.secret, may_write=group.is_owners)

    prompts = PromptParts(
        database=rooms.records,
        sessions=sessions,
        search=memory.search,
        block=context.block,
        block_tokens=settings.context.budget_tokens,
        kept_blocks=conversations.blocks,
        clock=rooms.home.clock,
        zone=zone_of(settings.sessions.time_zone),
        settings=settings.auto_responder,
        window_tokens=settings.sessions.context.window_tokens,
        answer_tokens=settings.language.max_output_tokens,
        sizer=parts.sizer,
        secret=parts.secret,
    )
    commands = CommandParts(
        sessions=sessions,
        facts=memory.facts,
        own_facts=OwnFacts(rooms.fact_parts),
        details=memory.get,
        context_of=lambda session_id: responder.context_of(session_id),
        language=settings.language,
        waiting=lambda: len(responder.pending()),
    )
    responder = Responder(
        ResponderParts(
            access=rooms.access,
            sessions=sessions,
            settings=settings.auto_responder,
            conversations=conversations,
            prompts=PromptMaker(prompts),
            language=lambda session: _model_of(rooms, session.overrides.get("model")),
            toolbox=toolbox,
            injections=context.injections,
            command=ChatCommands(commands).run,
        )
    )
    return responder


def _model_of(rooms: Rooms, spec: str | None) -> LanguageModel | None:
    """Return the model that answers; None where none may be asked for that.

    A session may have another model of the provider, and never another provider: where texts are
    sent is for the settings to say.
    """
    language, home = rooms.settings.language, rooms.home
    if PURPOSE not in language.uses:
        return None
    provider = language.provider.partition(":")[0]
    if spec is None or spec == language.provider or spec.partition(":")[0] != provider:
        return rooms.opened.model

    def make() -> LanguageModel | None:
        spending = UsageLedger(home.records, LANGUAGE)
        needs = Dependencies(spending=spending, retry_clock=RetryClock(clock=home.clock))
        return choose_language(msgspec.structs.replace(language, provider=spec), needs).model

    return home.conversations().model((rooms.opened.agent, spec), make)
