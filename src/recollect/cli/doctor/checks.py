"""What `recollect doctor` looks at. Each check says what it found; none of them changes a file."""

from __future__ import annotations

import os
import platform
import secrets
import shlex
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from recollect import __version__
from recollect.answers.doctor import CheckResult
from recollect.cli.doctor.check_result import FIX_HINT, note, sound, wrong
from recollect.cli.doctor.index_checks import (
    check_capture,
    check_channels,
    check_checkpoints,
    check_client,
    check_engines,
    check_files,
    check_knowledge,
    check_locks,
    check_notes,
    check_owner,
    check_rows,
    check_sharing,
    check_spool,
    check_vectors,
    check_worker,
)
from recollect.cli.output.formatting import count, size
from recollect.cli.setup.connecting import command_of, out_of_date
from recollect.core.clock import Clock, SystemClock
from recollect.core.errors import ModelMissing, RecollectError, RecordsLost, StoreCorrupt
from recollect.core.scope import Scope
from recollect.core.settings import Settings, StoreSettings, load_settings, models_folder, user_path
from recollect.hook.spool import Spool
from recollect.index.model.generation import cursor, find_generation
from recollect.index.model.locks import IndexLocks
from recollect.integrations.installing import Record, installed
from recollect.memory import Memory, open_memory
from recollect.models.languages import describe_languages, languages_of
from recollect.models.local.exported import ExportedEmbedder
from recollect.models.local.folder import INSTALL_HINT, ModelFolder, matches
from recollect.models.local.minilm import LocalEmbedder
from recollect.models.registry import (
    AUTO,
    NONE,
    Choice,
    choose_embedder,
    choose_language,
    local_folder,
)
from recollect.recall.outbox_source import OutboxSource, newest_change
from recollect.recall.ownership import incompatibility
from recollect.server.worker.daemon import look_at
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.mirror.mirror_file import MirrorState
from recollect.sessions.mirror.soundness import REPAIR_HINT, damage_of
from recollect.sessions.record.session import select_sessions
from recollect.store.columns import Condition
from recollect.store.engine import Transaction
from recollect.store.failures import translate_os
from recollect.store.sqlite.connection import check_version
from recollect.store.sqlite.database import (
    MOVE_HINT,
    SqliteDatabase,
    open_index,
    open_records,
)
from recollect.store.sqlite.home import INDEX_FILE, RECORDS_FILE, refuse_lost
from recollect.store.sqlite.integrity import find_damage
from recollect.store.sqlite.schema import is_schema_foreign
from recollect.text.secret_redactor import SecretRedactor
from recollect.workspace.extra_paths import extra_path
from recollect.workspace.memory_folder import MemoryFolder

OTHERS = 0o077
LITTLE_SPACE = 256 << 20
"""Below it an index rebuild or a model may not fit."""

INDEX_HINT = "`recollect doctor --fix` rebuilds it from the records"

Opener = Callable[[Path, StoreSettings, Clock], SqliteDatabase]


class Checkup:
    """All checks of one home.

    Args:
        home: A home.
        workspace: What was named on the command line.
        deep: Look at every row of the index instead of a sample.
    """

    def __init__(self, home: Path, workspace: Path | None, *, deep: bool = False) -> None:
        self._home = home
        self._deep = deep
        self._workspace = workspace
        self._settings = Settings()
        self._damaged: set[str] = set()

    def run(self) -> Iterator[CheckResult]:
        """Yield a result for each check; one that fails does not stop the others."""
        for name, needs, check in self._checks():
            if self._damaged.isdisjoint(needs):
                yield self._result(name, check)
            else:
                yield note(name, "not looked at: see above")

    def _result(self, name: str, check: Callable[[], CheckResult]) -> CheckResult:
        try:
            return check()
        except RecollectError as error:
            return wrong(name, error.message, error.hint)

    def _checks(self) -> list[tuple[str, tuple[str, ...], Callable[[], CheckResult]]]:
        """Return name, databases that must be sound, and check, in order."""
        both = (RECORDS_FILE, INDEX_FILE)
        return [
            ("software", (), self._software),
            ("settings", (), self._read_settings),
            ("home", (), self._permissions),
            ("disk", (), self._space),
            (RECORDS_FILE, (), self._records_file),
            (INDEX_FILE, (), self._index_file),
            ("mirrors", (RECORDS_FILE,), self._mirrors),
            ("index", both, lambda: self._asked(self._index)),
            ("rows", both, lambda: self._asked(partial(check_rows, deep=self._deep))),
            ("knowledge", both, lambda: self._asked(partial(check_knowledge, deep=self._deep))),
            ("vectors", both, lambda: self._asked(check_vectors)),
            ("engines", both, lambda: self._asked(check_engines)),
            ("checkpoints", both, lambda: self._asked(check_checkpoints)),
            ("locks", (), lambda: check_locks(IndexLocks(self._home, SystemClock()))),
            ("worker", (), lambda: check_worker(look_at(self._home))),
            ("spool", (), self._spool),
            ("agents", (RECORDS_FILE,), self._agents),
            *(
                (name, both, partial(self._asked, partial(check_client, self._home, name, record)))
                for name, record in self._clients().items()
            ),
            ("workspace", (), self._files),
            ("sharing", both, lambda: self._asked(check_sharing)),
            ("owner", both, lambda: self._asked(check_owner)),
            ("notes", both, lambda: self._asked(check_notes)),
            ("capture", both, lambda: self._asked(check_capture)),
            ("channels", both, lambda: self._asked(check_channels)),
            ("model", (), self._model),
            ("language", (), self._language),
        ]

    def _software(self) -> CheckResult:
        check_version()
        return sound("software", f"recollect {__version__}, Python {platform.python_version()}")

    def _read_settings(self) -> CheckResult:
        overrides = {} if self._workspace is None else {"workspace.path": str(self._workspace)}
        resolved = load_settings(self._home, overrides)
        self._settings = resolved.settings
        count = sum(origin != "default" for origin in resolved.origins.values())
        return sound("settings", f"{count} changed from the default")

    def _permissions(self) -> CheckResult:
        try:
            mode = self._home.stat().st_mode
        except OSError as error:
            raise translate_os(error, self._home) from error
        if not mode & OTHERS:
            return sound("home", f"{self._home}, for you alone")
        hint = f"chmod go= {shlex.quote(str(self._home))}"
        return note("home", f"others can look into {self._home}", hint)

    def _spool(self) -> CheckResult:
        spool = Spool(self._home)
        return check_spool(spool.state(), spool.folder, SystemClock().now_ms())

    def _space(self) -> CheckResult:
        try:
            free = shutil.disk_usage(self._home).free
        except OSError as error:
            raise translate_os(error, self._home) from error
        if free >= LITTLE_SPACE:
            return sound("disk", f"{size(free)} free")
        return note("disk", f"only {size(free)} free", "free some")

    def _records_file(self) -> CheckResult:
        try:
            refuse_lost(self._home)
            return self._sound(RECORDS_FILE, open_records)
        except RecordsLost as error:
            self._damaged.add(RECORDS_FILE)
            return wrong(RECORDS_FILE, error.message, error.hint)

    def _index_file(self) -> CheckResult:
        result = self._sound(INDEX_FILE, open_index)
        if result.state != "ok" or RECORDS_FILE in self._damaged:
            return result
        with self._opened(open_records) as records, self._opened(open_index) as index:
            reason = incompatibility(records, index)
        if reason is None:
            return result
        return wrong(INDEX_FILE, reason, INDEX_HINT)

    def _sound(self, name: str, opener: Opener) -> CheckResult:
        path = self._home / name
        is_index = name == INDEX_FILE
        if not path.exists():
            if is_index and not os.access(self._home, os.W_OK):
                self._damaged.add(name)
                return wrong(name, "missing, and the home cannot be written", MOVE_HINT)
            if is_index:
                return note(name, "missing", "`recollect sync` makes it again")
            return wrong(name, "missing", REPAIR_HINT)
        hint = INDEX_HINT if is_index else REPAIR_HINT
        try:
            with self._opened(opener) as database:
                health = database.health()
                damage = _first(find_damage(database)) if is_index else damage_of(database)
        except StoreCorrupt as error:
            self._damaged.add(name)
            is_ours = not is_schema_foreign(error)
            return wrong(name, f"damaged: {error.message}", hint if is_ours else error.hint)
        if damage is not None:
            self._damaged.add(name)
            return wrong(name, f"damaged: {damage}", hint)
        summary = f"schema {health.schema_version}, SQLite {health.sqlite_version}"
        return sound(name, f"sound, {size(path.stat().st_size)}, {summary}")

    def _mirrors(self) -> CheckResult:
        if not self._settings.sessions.mirror:
            return sound("mirrors", "switched off")
        with self._opened(open_records) as records:
            sessions = records.read(lambda tx: select_sessions(tx, Condition(Scope()), None))
            mirror = TranscriptMirror(self._home, records)
            states = Counter(mirror.state(session.id) for session in sessions if session.last_seq)
            strays = len(mirror.strays())
        equal = states.pop(MirrorState.EQUAL, 0)
        if not states and not strays:
            return sound("mirrors", f"{count(equal, 'transcript')} as in the database")
        parts = [f"{number} {state}" for state, number in sorted(states.items())]
        detail = ", ".join([*parts, *([f"{strays} without a session"] if strays else [])])
        return wrong("mirrors", detail, FIX_HINT)

    def _index(self, memory: Memory) -> CheckResult:
        index = memory.status().index
        if index.outdated:
            hint = "`recollect reindex`, or `recollect doctor --fix`"
            return wrong("index", index.outdated, hint)
        with self._opened(open_records) as records:
            newest = records.read(newest_change)
        with self._opened(open_index) as database:
            behind = newest - database.read(_read_up_to)
        if behind > 0:
            detail = f"{count(behind, 'change')} behind the records"
            return note("index", detail, "`recollect sync`")
        return sound("index", f"{count(index.chunks, 'chunk')}, up to the records")

    def _asked(self, check: Callable[[Memory], CheckResult]) -> CheckResult:
        with open_memory(self._home, self._workspace, live=False) as memory:
            return check(memory)

    def _agents(self) -> CheckResult:
        stale = out_of_date(self._home)
        if stale:
            detail = "what agents run is not what this installation has"
            return wrong("agents", detail, " and ".join(f"`{command_of(each)}`" for each in stale))
        return sound("agents", ", ".join(installed(self._home)) or "none")

    def _clients(self) -> dict[str, Record]:
        with suppress(RecollectError):  # the check of the agents says so
            return installed(self._home)
        return {}

    def _files(self) -> CheckResult:
        path = self._settings.workspace.path
        workspace = None if path is None else user_path(path)
        extra = [extra_path(each, workspace) for each in self._settings.workspace.extra_paths]
        if path is None and not extra:
            return sound("workspace", "none")
        if workspace is not None and not workspace.is_dir():
            return wrong("workspace", f"no folder {path}", "check workspace.path or --workspace")
        # Names alone are shown, and no mark of them is compared.
        privacy = self._settings.privacy
        salt = secrets.token_bytes(32)
        redactor = SecretRedactor.chosen(salt, privacy) if privacy.redact else None
        files = MemoryFolder(workspace, extra, redactor=redactor)
        return check_files(files, files.listing(), path or "extra paths")

    def _model(self) -> CheckResult:
        settings = self._settings.embedding
        choice = choose_embedder(settings.provider, settings, models_folder())
        if choice.fallback_from is not None:
            detail = f"{choice.reason}: {choice.fallback_reason}"
            return note("model", detail, choice.hint)
        if choice.embedder is None and choice.requested not in {AUTO, NONE}:
            return wrong("model", choice.reason, choice.hint)
        if isinstance(choice.embedder, ExportedEmbedder):
            try:
                choice.embedder.require_files(matches)
            except ModelMissing as error:
                return wrong("model", error.message, error.hint)
        if choice.embedder is not None and not isinstance(choice.embedder, LocalEmbedder):
            return sound("model", f"{choice.reason}; languages: {_languages(choice)}")
        return self._local_model(choice)

    def _local_model(self, choice: Choice) -> CheckResult:
        settings = self._settings.embedding
        folder = ModelFolder(local_folder(settings, models_folder()))
        if not folder.is_installed(settings.quantisation):
            result = note if choice.embedder is None else wrong
            return result("model", "the local model is not installed", INSTALL_HINT)
        damaged = folder.needs_originals(settings.quantisation)
        if damaged:
            detail = f"{', '.join(damaged)} of the local model is damaged"
            return wrong("model", detail, INSTALL_HINT)
        languages = _languages(choice)
        return sound("model", f"{choice.reason} (languages: {languages}), its digests are right")

    def _language(self) -> CheckResult:
        choice = choose_language(self._settings.language)
        if choice.hint:
            return wrong("language", choice.reason, choice.hint)
        return sound("language", choice.reason)

    @contextmanager
    def _opened(self, opener: Opener) -> Iterator[SqliteDatabase]:
        database = opener(self._home, self._settings.store, SystemClock())
        try:
            yield database
        finally:
            database.close()


def _first(problems: list[str]) -> str | None:
    return problems[0] if problems else None


def _languages(choice: Choice) -> str:
    return describe_languages(languages_of(choice.embedder))


def _read_up_to(tx: Transaction) -> int:
    generation = find_generation(tx, "serving")
    return cursor(tx, generation.number, OutboxSource.name) if generation else 0
