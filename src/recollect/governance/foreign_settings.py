"""Settings of a backup from elsewhere: only what can do no harm is in force after a restore.

A `config.yaml` says where texts are sent, which programs are started, which folders are read and
who hears what. Whoever made an archive would decide that for whoever restores it.
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
"""Options, and sections of them, that send nothing, start nothing, read and write nothing outside
of the home, remove nothing, and let no one else hear more. A new option is not among them."""


def set_foreign_settings_aside(home: Path, clock: Clock) -> list[str]:
    """Leave only harmless settings in force, and no token; the whole files lie in ``aside/``.

    Args:
        home: What was unpacked, and is not in use yet.
        clock: Names the folder.

    Returns:
        Keys of the settings, and names of files, that are not in force.

    Raises:
        StoreError: the disk refused.
    """
    path = home / FILE_NAME
    left: dict[str, Any] = {}
    try:
        given = read_file(path)
    except ConfigError:
        put_aside = [FILE_NAME]  # nothing of it can be trusted, and no program could open the home
    else:
        put_aside = [key for key in given if not option_key(key).startswith(HARMLESS)]
        for key in given.keys() - set(put_aside):
            _set(left, key.split("."), given[key].value)
    put_aside += [name for name in SECRET_FILES if (home / name).exists()]
    if put_aside:
        folder = new_folder(private_folder(home / ASIDE), clock)
        with os_errors(home):
            for name in (FILE_NAME, *SECRET_FILES):
                if (home / name).exists():
                    os.rename(home / name, folder / name)
            sync_folder(folder)
        if left:
            write_file(path, yaml.safe_dump(left, allow_unicode=True).encode())
    return put_aside


def is_known_home(home_id: str | None, place: Path, before: str) -> bool:
    """Return whether a backup is of the home at a place, or of one that was there before.

    Args:
        home_id: What the backup says.
        place: Of the home.
        before: What is added to the name of a home that was there.
    """
    earlier = place.parent.glob(f"{escape(place.name)}{before}*")
    databases = (
        folder / name for folder in (place, *earlier) for name in (RECORDS_FILE, INDEX_FILE)
    )
    return home_id is not None and any(_id_of(path) == home_id for path in databases)


def _id_of(path: Path) -> str | None:
    with suppress(StoreError):
        if path.is_file():
            with snapshots([path]) as (database,):
                return database.read(find_home_id)
    return None


def _set(tree: dict[str, Any], place: list[str], value: object) -> None:
    for name in place[:-1]:
        tree = tree.setdefault(name, {})
    tree[place[-1]] = value
