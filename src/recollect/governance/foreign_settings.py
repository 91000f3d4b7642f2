"""Settings of a foreign backup: only harmless ones are in force after a restore.

A `config.yaml` decides where texts are sent, which programs are started, which folders are read and
who hears what. The author of an archive must not decide that for the one who restores it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Any

import yaml

from recollect.core.clock import Clock
from recollect.core.errors import ConfigError, StoreError
from recollect.core.settings.agents import option_key
from recollect.core.settings.sources import FILE_NAME, read_file
from recollect.governance.aside import new_folder
from recollect.governance.backup import SECRET_FILES
from recollect.store.failures import os_errors
from recollect.store.files import private_folder, sync_folder, write_file
from recollect.store.sqlite.home import ASIDE, INDEX_FILE, RECORDS_FILE, find_home_id
from recollect.store.sqlite.snapshot import snapshots

HARMLESS = (
    *("store.", "chunking.", "sync."),
    *("search.limit", "search.min_score", "search.snippet_chars", "search.candidates"),
    *("search.posting_budget", "search.exact_below", "search.memory_share", "search.citations"),
    *("search.ranking.", "search.hybrid.", "search.diversity.", "search.recency."),
    *("embedding.dimensions", "embedding.quantisation", "embedding.threads", "embedding.cache."),
    *("embedding.batch_size", "embedding.max_windows"),
    *("sessions.mirror", "sessions.time_zone", "sessions.lease_s"),
    *("sessions.fresh.", "sessions.context."),
)
"""Options and sections that send nothing, start nothing, read and write nothing outside of the
home, remove nothing, and let no one else hear more. A new option is not included by default."""


def set_foreign_settings_aside(home: Path, clock: Clock) -> list[str]:
    """Keep only harmless settings in force, and no token; the full files are moved to ``aside/``.

    Args:
        home: The unpacked home, not in use yet.
        clock: Gives the name of the folder.

    Returns:
        Keys of the settings, and names of files, that are not in force.

    Raises:
        StoreError: the disk refused.
    """
    path = home / FILE_NAME
    harmless: dict[str, Any] = {}
    try:
        values = read_file(path)
    except ConfigError:
        put_aside = [FILE_NAME]  # none of it can be trusted, and no program could open the home
    else:
        put_aside = [key for key in values if not option_key(key).startswith(HARMLESS)]
        for key in values.keys() - set(put_aside):
            _set(harmless, key.split("."), values[key].value)
    put_aside += [name for name in SECRET_FILES if (home / name).exists()]
    if put_aside:
        folder = new_folder(private_folder(home / ASIDE), clock)
        with os_errors(home):
            for name in (FILE_NAME, *SECRET_FILES):
                if (home / name).exists():
                    os.rename(home / name, folder / name)
            sync_folder(folder)
        if harmless:
            write_file(path, yaml.safe_dump(harmless, allow_unicode=True).encode())
    return put_aside


def is_known_home(home_id: str | None, home: Path, before: str) -> bool:
    """Return whether a backup was made from the home at a path, or from an earlier one there.

    Args:
        home_id: That of the backup.
        home: The path of the home.
        before: The suffix of the name of an earlier home.
    """
    earlier = home.parent.glob(f"{escape(home.name)}{before}*")
    databases = (
        folder / name for folder in (home, *earlier) for name in (RECORDS_FILE, INDEX_FILE)
    )
    return home_id is not None and any(_id_of(path) == home_id for path in databases)


def _id_of(path: Path) -> str | None:
    with suppress(StoreError):
        if path.is_file():
            with snapshots([path]) as (database,):
                return database.read(find_home_id)
    return None


def _set(tree: dict[str, Any], keys: list[str], value: object) -> None:
    for name in keys[:-1]:
        tree = tree.setdefault(name, {})
    tree[keys[-1]] = value
