"""Where recollect keeps its files: the home of one memory, the models that all homes share.

And what the paths and patterns of settings mean.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct

from recollect.core.errors import ConfigError, InvalidInput


def default_home(environ: Mapping[str, str] | None = None) -> Path:
    """Return the absolute home folder: ``RECOLLECT_HOME``, else ``~/.recollect``.

    Raises:
        ConfigError: there is no home directory to put it into.
    """
    environ = os.environ if environ is None else environ
    return _absolute(environ.get("RECOLLECT_HOME") or "~/.recollect", environ)


def shell_command(home: Path) -> str:
    """Return the command that starts this recollect for a home in any shell.

    The program of this installation by its whole path: an agent's shell may have another PATH.
    """
    program = Path(sys.executable).with_name("recollect")
    start = [str(program)] if program.exists() else [sys.executable, "-m", "recollect"]
    is_default = home == Path("~/.recollect").expanduser()
    return shlex.join(start if is_default else [*start, "--home", str(home)])


def user_path(path: Path | str) -> Path:
    """Return a path with ``~`` or ``~name`` replaced by the home directory that it means.

    Raises:
        InvalidInput: the home directory is not known.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        name = Path(path).parts[0]
        hint = "write the whole path, or ./ before a folder of that name"
        raise InvalidInput(f"the home directory {name} is not known", hint=hint) from error


def matches(path: str, pattern: str) -> bool:
    """Return whether a pattern of a setting means a path.

    ``*`` and ``?`` stand within a name, ``**`` for any number of folders.

    >>> matches("memory/a/b.md", "memory/**/*.md"), matches("memory/a/b.md", "memory/*.md")
    (True, False)
    """
    return _matches(path.split("/"), pattern.split("/"))


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_matches(parts[n:], pattern[1:]) for n in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])


def models_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the absolute folder of model files: ``RECOLLECT_MODELS``, else in the user's cache.

    Raises:
        ConfigError: ``RECOLLECT_MODELS`` starts with ~ and there is no home directory.
    """
    environ = os.environ if environ is None else environ
    folder = environ.get("RECOLLECT_MODELS")
    if folder:
        return _absolute(folder, environ)
    import platformdirs

    return platformdirs.user_cache_path("recollect", appauthor=False) / "models"


def _absolute(path: str, environ: Mapping[str, str]) -> Path:
    if path == "~" or path.startswith(("~/", "~\\")):
        return _user_home(environ).joinpath(path[2:]).absolute()
    return Path(path).absolute()


def _user_home(environ: Mapping[str, str]) -> Path:
    folder = environ.get("HOME") or environ.get("USERPROFILE")
    if folder:
        return Path(folder)
    try:
        return Path.home()
    except RuntimeError as error:
        raise ConfigError(
            "this user has no home directory",
            hint="set RECOLLECT_HOME or pass --home",
            key="RECOLLECT_HOME",
        ) from error


def transcript_folders(environ: Mapping[str, str] | None = None) -> dict[str, Path]:
    """Return where other programs keep their transcripts, by the name of their format.

    Their own variables count: ``CLAUDE_CONFIG_DIR``; ``OPENCLAW_STATE_DIR``, or else
    ``OPENCLAW_HOME`` in the place of the user's home, and ``OPENCLAW_PROFILE``.

    Raises:
        ConfigError: a folder starts with ~ and the home directory is unknown.
    """
    environ = os.environ if environ is None else environ
    variables = {name: environ.get(f"OPENCLAW_{name}", "").strip() for name in _OPENCLAW}
    profile = "" if variables["PROFILE"].lower() == "default" else variables["PROFILE"]
    state = f"{variables['HOME'] or '~'}/.openclaw{'-' if profile else ''}{profile}"
    claude = environ.get("CLAUDE_CONFIG_DIR", "").strip() or "~/.claude"
    return {
        "claude-code": _absolute(claude, environ) / "projects",
        "openclaw": _absolute(variables["STATE_DIR"] or state, environ) / "agents",
    }


def openclaw_config(environ: Mapping[str, str] | None = None) -> Path:
    """Return where OpenClaw keeps its settings: ``OPENCLAW_CONFIG_PATH``, else beside its agents.

    Raises:
        ConfigError: the file starts with ~ and the home directory is unknown.
    """
    environ = os.environ if environ is None else environ
    path = environ.get("OPENCLAW_CONFIG_PATH", "").strip()
    if path:
        return _absolute(path, environ)
    return transcript_folders(environ)["openclaw"].parent / "openclaw.json"


def claude_mem_database(environ: Mapping[str, str] | None = None) -> Path:
    """Return where claude-mem keeps its database: below ``CLAUDE_MEM_DATA_DIR``, as it does.

    Raises:
        ConfigError: the folder starts with ~ and the home directory is unknown.
    """
    environ = os.environ if environ is None else environ
    folder = environ.get("CLAUDE_MEM_DATA_DIR", "").strip() or "~/.claude-mem"
    return _absolute(folder, environ) / "claude-mem.db"


def openclaw_mem_settings(environ: Mapping[str, str] | None = None) -> Path:
    """Return where OpenClaw-Mem keeps its settings.

    Raises:
        ConfigError: the home directory is unknown.
    """
    return _absolute("~/.openclaw-mem/settings.json", os.environ if environ is None else environ)


def client_folders(environ: Mapping[str, str] | None = None) -> dict[str, Path]:
    """Return where agent programs keep their settings.

    ``home`` is that of the user, ``config`` where most programs of a terminal have a folder,
    ``desktop`` where those with windows have one. ``codex``, ``copilot`` and ``gemini`` are folders
    of these programs; ``CODEX_HOME``, ``COPILOT_HOME`` and ``GEMINI_CLI_HOME`` count.

    Raises:
        ConfigError: the home directory is unknown.
    """
    environ = os.environ if environ is None else environ
    variables = {name: environ.get(variable, "").strip() for name, variable in _HOMES.items()}
    config = environ.get("XDG_CONFIG_HOME", "").strip() or "~/.config"
    desktop = "~/Library/Application Support" if sys.platform == "darwin" else config
    folders = {
        "home": "~",
        "config": config,
        "desktop": desktop,
        "codex": variables["codex"] or "~/.codex",
        "copilot": variables["copilot"] or "~/.copilot",
        "gemini": f"{variables['gemini'] or '~'}/.gemini",
    }
    return {name: _absolute(folder, environ) for name, folder in folders.items()}


def locale_languages(environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the languages of the user's locale, the preferred first; none where it has none.

    >>> locale_languages({"LANGUAGE": "de:en", "LANG": "en_US.UTF-8"}), locale_languages({})
    (('de', 'en'), ())
    """
    environ = os.environ if environ is None else environ
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((environ[name] for name in names if environ.get(name)), "")
    preferred = environ.get("LANGUAGE", "").split(":") if locale else []
    codes = (re.match(r"[a-z]{2,3}(?=[_.@]|$)", each) for each in [*preferred, locale])
    return tuple(dict.fromkeys(code[0] for code in codes if code))


_OPENCLAW = ("HOME", "PROFILE", "STATE_DIR")
_HOMES = {"codex": "CODEX_HOME", "copilot": "COPILOT_HOME", "gemini": "GEMINI_CLI_HOME"}
FOREIGN_VARIABLES = (
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_MEM_DATA_DIR",
    *(f"OPENCLAW_{name}" for name in _OPENCLAW),
    *_HOMES.values(),
    "XDG_CONFIG_HOME",
)
"""Variables of other programs that say where they keep their files."""


def program_path(environ: Mapping[str, str] | None = None) -> str:
    """Return where programs are looked for: ``PATH``, else the usual folders of the system."""
    environ = os.environ if environ is None else environ
    return environ.get("PATH") or os.defpath


KEY_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "voyage": ("VOYAGE_API_KEY",),
}
"""Provider -> the variables that may hold its key; the first one that is set counts."""


def provider_key(name: str, environ: Mapping[str, str] | None = None) -> str | None:
    """Return the key of the provider ``name``, or None where there is none.

    Args:
        name: Such as ``openai``; one that is not known has no key.
        environ: The variables; the process environment by default.
    """
    environ = os.environ if environ is None else environ
    keys = (environ.get(variable, "").strip() for variable in KEY_VARIABLES.get(name, ()))
    return next((key for key in keys if key), None)


def debug_requested(environ: Mapping[str, str] | None = None) -> bool:
    """Return whether ``RECOLLECT_DEBUG`` is set, to anything but ``0``."""
    environ = os.environ if environ is None else environ
    return environ.get("RECOLLECT_DEBUG", "") not in {"", "0"}


class GivenValue(Struct, frozen=True):
    """A value and where it was written."""

    value: object
    origin: str
    is_text: bool
    """True when the source knows only texts, so that "10" may stand for 10."""


GUARD = "RECOLLECT_INSIDE"
"""Set in every command that is started as a model: inside of it no model is asked."""

_NAMES = frozenset(
    {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TMPDIR",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "NODE_EXTRA_CA_CERTS",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
        "CLOUD_ML_REGION",
        "GOOGLE_APPLICATION_CREDENTIALS",
    }
)
_PREFIXES = ("ANTHROPIC_", "AWS_")
_NO_FILES = ("CLAUDE_CODE_DISABLE_ATTACHMENTS", "CLAUDE_CODE_DISABLE_FILE_MENTIONS")
"""Keep the command from reading the files that a prompt mentions."""


def agent_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return all variables of the command; ``environ`` is the process environment by default."""
    environ = os.environ if environ is None else environ
    variables = {
        name: value
        for name, value in environ.items()
        if name in _NAMES or name.startswith(_PREFIXES)
    }
    direct = variables.get("no_proxy") or variables.get("NO_PROXY") or ""
    # A server of ours on this machine may give it tools; programs read one spelling or the other.
    proxies = dict.fromkeys(("NO_PROXY", "no_proxy"), f"{direct},127.0.0.1".removeprefix(","))
    own = {"PATH": variables.get("PATH") or os.defpath, GUARD: "1"}
    return variables | own | proxies | dict.fromkeys(_NO_FILES, "1")


def temporary_files_in(folder: Path, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return all variables for a program whose temporary files are to lie in ``folder``."""
    return dict(os.environ if environ is None else environ) | {"TMPDIR": str(folder)}


def is_inside(environ: Mapping[str, str] | None = None) -> bool:
    """Tell whether this process was started by a command that serves as a model."""
    environ = os.environ if environ is None else environ
    return environ.get(GUARD, "") not in {"", "0"}


def has_screen(environ: Mapping[str, str] | None = None) -> bool:
    """Return whether a browser can open a window, or the user named one in ``BROWSER``."""
    environ = os.environ if environ is None else environ
    names = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform == "darwin" or any(environ.get(name) for name in names)


_OWN = "RECOLLECT_"
_NOT_ANSWERING = frozenset({f"{_OWN}HOME", f"{_OWN}DEBUG", GUARD})


def surroundings(environ: Mapping[str, str] | None = None) -> str:
    """Return a digest of the variables that change what a memory answers.

    They are those of our settings, the folder of models, keys of providers, and where other
    programs keep their transcripts. A worker answers for a command only where both have the same.
    """
    environ = os.environ if environ is None else environ
    names = {*(name for names in KEY_VARIABLES.values() for name in names), *FOREIGN_VARIABLES}
    pairs = sorted(
        (name, value)
        for name, value in environ.items()
        if name in names or (name.startswith(_OWN) and name not in _NOT_ANSWERING)
    )
    return hashlib.sha256(repr(pairs).encode("utf-8", "surrogateescape")).hexdigest()
