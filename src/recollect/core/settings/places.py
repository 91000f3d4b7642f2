"""Where recollect keeps its files: the home of one memory, and the models that all homes share."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from recollect.core.errors import ConfigError


def default_home(environ: Mapping[str, str] | None = None) -> Path:
    """Return the absolute home folder: ``RECOLLECT_HOME``, else ``~/.recollect``.

    Raises:
        ConfigError: there is no home directory to put it into.
    """
    environ = os.environ if environ is None else environ
    return _absolute(environ.get("RECOLLECT_HOME") or "~/.recollect", environ)


def models_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the absolute folder of model files: ``RECOLLECT_MODELS``, else in the user's cache.

    Raises:
        ConfigError: ``RECOLLECT_MODELS`` starts with ~ and there is no home directory.
    """
    environ = os.environ if environ is None else environ
    chosen = environ.get("RECOLLECT_MODELS")
    if chosen:
        return _absolute(chosen, environ)
    return platformdirs.user_cache_path("recollect", appauthor=False) / "models"


def _absolute(chosen: str, environ: Mapping[str, str]) -> Path:
    if chosen == "~" or chosen.startswith(("~/", "~\\")):
        return _user_home(environ).joinpath(chosen[2:]).absolute()
    return Path(chosen).absolute()


def _user_home(environ: Mapping[str, str]) -> Path:
    named = environ.get("HOME") or environ.get("USERPROFILE")
    if named:
        return Path(named)
    try:
        return Path.home()
    except RuntimeError as error:
        raise ConfigError(
            "this user has no home directory",
            hint="set RECOLLECT_HOME or pass --home",
            key="RECOLLECT_HOME",
        ) from error


def program_path(environ: Mapping[str, str] | None = None) -> str:
    """Return where programs are looked for: ``PATH``, else the usual folders of the system."""
    environ = os.environ if environ is None else environ
    return environ.get("PATH") or os.defpath
