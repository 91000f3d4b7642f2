"""What every part of a memory builds on: settings, databases, models and its owner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import LiteralString

import msgspec

from recollect.audience.identity_links import USERS, read_links
from recollect.audience.owner import Owner, read_owner
from recollect.audience.visibility import Asker, Audience
from recollect.core.clock import Clock, IdSource, SystemClock
from recollect.core.errors import ConfigError, InvalidInput, NotFound, RecollectError, StoreError
from recollect.core.scope import Scope, ScopeOfPerson
from recollect.core.settings import (
    PrivacySettings,
    ResolvedSettings,
    default_home,
    known_agent,
    load_settings,
    user_path,
)
from recollect.core.settings.sources import FILE_NAME, read_file
from recollect.models.dependencies import Dependencies
from recollect.models.embedding.embedder import Embedder
from recollect.models.http.retry import RetryClock
from recollect.models.registry import (
    AUTO,
    NONE,
    Choice,
    LanguageChoice,
    choose_embedder,
    choose_language,
)
from recollect.recall.healing import open_sound_index
from recollect.recall.ownership import claim
from recollect.store.engine import Database, Transaction
from recollect.store.files import private_folder, write_file
from recollect.store.meta import (
    OWNERS,
    PLAIN_KEYS,
    REDACTION_SALT,
    UNTOLD,
    find_value,
    persisted_random,
    set_value,
)
from recollect.store.sqlite.database import SqliteDatabase, open_records
from recollect.store.sqlite.home import AGENTS
from recollect.store.usage_ledger import EMBEDDING, LANGUAGE, UsageLedger
from recollect.text.secret_redactor import SecretRedactor

ONLY_READ = "what was stored before is found, and nothing new is stored"


_OF_USER: LiteralString = "SELECT 1 FROM sessions WHERE tenant = ? AND user_id = ? LIMIT 1"


class OpenOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a program requests when it opens a memory; fields as in `recollect.open`."""

    home: Path | str | None = None
    workspace: Path | str | None = None
    overrides: Mapping[str, object] | None = None
    scope: Scope | None = None
    clock: Clock | None = None
    embedder: Embedder | None = None
    live: bool = True
    count_tokens: Callable[[str], int] | None = None
    is_pooled: bool = False
    """Whether the overrides apply to all agents and tenants."""


class Resources(msgspec.Struct, frozen=True, kw_only=True):
    """What everything else builds on."""

    order: OpenOptions
    home: Path
    index_home: Path
    workspace: Path | None
    scope: Scope
    resolved: ResolvedSettings
    clock: Clock
    ids: IdSource
    redactor: SecretRedactor | None
    records: SqliteDatabase
    index_database: SqliteDatabase
    index_incompatibility: str | None
    """Why the index that was found is rebuilt; None where it belongs to the records."""
    choice: Choice
    language: LanguageChoice | None
    """None where the settings say ``none``."""
    owner: Owner

    def narrowed(self, wanted: Scope) -> Scope | None:
        """Return the part of the scope that ``wanted`` selects, as `Scope.narrowed`.

        Raises:
            InvalidInput: it is not a scope, or its user cannot be one.
        """
        return self.scope.narrowed(self.stored(wanted))

    def stored(self, scope: Scope) -> Scope:
        """Return a scope as rows store it: accounts as their person, a project without secrets.

        Raises:
            InvalidInput: its user cannot be one.
        """
        return _stored(scope, self.owner, self.redactor)

    def audience(self, tx: Transaction | None, asker: Asker) -> Audience:
        """Return the audience of an asker; see `Resolve`.

        Args:
            tx: The snapshot of the read; None for what is not in the records: the index, and files.
            asker: Who asks.
        """
        if tx is None and asker.session_id is not None:
            return self.records.read(lambda tx: self.audience(tx, asker))
        settings, group = self.resolved.settings, None
        if tx is not None and asker.session_id is not None:
            from recollect.sessions.policy.turns import resolved

            group = resolved(tx, asker, self.scope, self.owner).group
        elif asker.sender is not None:
            raise InvalidInput("a sender needs a session", hint="give for_session with it")
        return Audience(
            owner=self.owner,
            group=group,
            shares_observations=settings.observations.shared,
            guests_read=settings.sessions.guests_read,
        )

    def unknown_user(self, scope: Scope) -> tuple[str, ...]:
        """Return a warning where no session belongs to the user of a scope."""
        user = scope.user
        if user is None or ":" in user or isinstance(scope, ScopeOfPerson):
            return ()
        if self.records.read(lambda tx: tx.row(_OF_USER, (scope.tenant, user))) is not None:
            return ()
        return (f"no session is of the user {user}: {USERS}",)

    @property
    def warning(self) -> str | None:
        """The warning that the home can only be read; None where it can be written."""
        return f"{self.home} cannot be written: {ONLY_READ}" if self.records.is_read_only else None

    @property
    def was_found(self) -> bool:
        """Whether the embedder was chosen by a key in the environment, not by a setting."""
        remote = self.resolved.settings.embedding.remote
        return self.choice.requested == AUTO and not (remote.api_key or remote.base_url)


def open_resources(order: OpenOptions, beside: Resources | None = None) -> Resources:
    """Open the home, created when it is missing, and choose the models.

    Args:
        order: The options.
        beside: The resources of the same home whose records are open already.

    Raises:
        ConfigError: a setting is wrong.
        NotFound: the workspace is not a folder.
        InvalidInput: the path of the workspace holds a secret.
        StoreError: a database cannot be opened.
    """
    home = user_path(order.home) if order.home is not None else default_home()
    scope, clock = order.scope or Scope(), order.clock or SystemClock()
    resolved = load_settings(home, given_settings(order), agent=known_agent(scope.agent))
    workspace = _workspace(resolved, order) if has_files(order, scope) else None
    records = (
        open_records(private_folder(home), resolved.settings.store, clock)
        if beside is None
        else beside.records
    )
    try:
        resolved = _with_kept_plain_keys(home, records, resolved)
        redactor = _redactor(records, resolved.settings.privacy)
        _check_shown(workspace, redactor)
        choice = _choice(order.embedder, resolved, _dependencies(records, EMBEDDING, clock))
        language = _language(resolved, records, clock)
        people = resolved.settings.sessions
        owner = read_owner(people.owner, read_links(people.identity_links))
    except RecollectError:
        if beside is None:
            records.close()
        raise
    agent = own_index_of(resolved, scope)
    index_home = private_folder(home if agent is None else home / AGENTS / agent)
    index_database, damage = open_sound_index(index_home, resolved.settings.store, clock)
    return Resources(
        order=order,
        home=home,
        index_home=index_home,
        workspace=workspace,
        scope=_stored(scope, owner, redactor),
        resolved=resolved,
        clock=clock,
        ids=IdSource(clock),
        redactor=redactor,
        records=records,
        index_database=index_database,
        index_incompatibility=claim(records, index_database) or damage,
        choice=choice,
        language=language,
        owner=owner,
    )


def _with_kept_plain_keys(
    home: Path, records: SqliteDatabase, resolved: ResolvedSettings
) -> ResolvedSettings:
    """Return settings that keep plain names the owner's in a home older than that setting.

    Its settings file has it from then on; where that cannot be written, it still applies.
    """
    if records.read(lambda tx: find_value(tx, PLAIN_KEYS)) != OWNERS:
        return resolved
    from recollect.core.settings.config_file import with_setting

    path, key = home / FILE_NAME, "sessions.plain_keys"
    with suppress(ConfigError, OSError, StoreError):
        is_said = key in read_file(path)
        if not is_said:
            text = path.read_text("utf-8-sig") if path.exists() else ""
            write_file(path, with_setting(text, key, OWNERS).encode())
        records.write(lambda tx: set_value(tx, PLAIN_KEYS, "" if is_said else UNTOLD))
    if resolved.origins[key] != "default":
        return resolved
    sessions = msgspec.structs.replace(resolved.settings.sessions, plain_keys="owner")
    settings = msgspec.structs.replace(resolved.settings, sessions=sessions)
    return msgspec.structs.replace(resolved, settings=settings)


def narrowed_resources(base: Resources, scope: Scope) -> Resources:
    """Return the resources of a memory with another scope that shares the index of ``base``."""
    workspace = base.workspace if has_files(base.order, scope) else None
    return msgspec.structs.replace(base, scope=scope, workspace=workspace)


def own_index_of(resolved: ResolvedSettings, scope: Scope) -> str | None:
    """Return the agent that a memory is for, if it has settings and so an index of its own."""
    agent = known_agent(scope.agent)
    return agent if agent in resolved.agents else None


def has_files(order: OpenOptions, scope: Scope) -> bool:
    """Return whether a memory has the memory files of the settings, which are the home tenant's.

    Another tenant has a workspace where the program gives it one. What a pool was given for all of
    its memories is not given to a tenant.
    """
    own = msgspec.structs.replace(order, overrides=None) if order.is_pooled else order
    return scope.tenant == Scope().tenant or "workspace.path" in given_settings(own)


def given_settings(order: OpenOptions) -> dict[str, object]:
    """Return the settings that a program gives, by dotted key."""
    given = dict(order.overrides or {})
    if order.workspace is not None:
        given["workspace.path"] = str(order.workspace)
    return given


def _choice(
    embedder: Embedder | None, resolved: ResolvedSettings, dependencies: Dependencies
) -> Choice:
    if embedder is not None:
        return Choice(embedder=embedder, reason="given by the program")
    settings = resolved.settings.embedding
    return choose_embedder(settings.provider, settings, dependencies.models, dependencies)


def _language(resolved: ResolvedSettings, records: Database, clock: Clock) -> LanguageChoice | None:
    if resolved.settings.language.provider.strip() == NONE:
        return None
    return choose_language(resolved.settings.language, _dependencies(records, LANGUAGE, clock))


def _dependencies(records: Database, kind: str, clock: Clock) -> Dependencies:
    return Dependencies(spending=UsageLedger(records, kind), retry_clock=RetryClock(clock=clock))


def _workspace(resolved: ResolvedSettings, order: OpenOptions) -> Path | None:
    """Return the folder of the workspace; the one in the settings may be missing for a while."""
    path = resolved.settings.workspace.path
    if path is None:
        return None
    folder = user_path(path)
    if order.workspace is not None and not folder.is_dir():
        raise NotFound(
            f"the workspace {folder} must be a folder",
            hint="name another one with --workspace, or leave it out",
            path=path,
        )
    return folder


def _stored(scope: Scope, owner: Owner, redactor: SecretRedactor | None) -> Scope:
    scope = owner.links.scope_of(scope)
    project = scope.project
    if redactor is None or project is None or (label := redactor.label(project)) == project:
        return scope
    return msgspec.structs.replace(scope, project=label)


def _check_shown(workspace: Path | None, redactor: SecretRedactor | None) -> None:
    """Refuse a workspace in a folder with a secret in its name.

    Index and notes name the folder, and an erasure finds the notes by that: a mark would hide them.
    """
    if workspace is None or redactor is None:
        return
    if any(redactor.path(path) != path for path in (str(workspace), str(workspace.resolve()))):
        raise InvalidInput(
            "the path of the workspace holds a secret",
            hint="use another folder: its name would be stored and shown",
        )


def _redactor(records: Database, settings: PrivacySettings) -> SecretRedactor | None:
    if not settings.redact:
        return None
    salt = bytes.fromhex(persisted_random(records, REDACTION_SALT))
    return SecretRedactor.chosen(salt, settings, records)
