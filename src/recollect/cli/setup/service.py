"""The worker as a service of the user's system: a systemd user unit, or a launchd agent."""

from __future__ import annotations

import hashlib
import plistlib
import sys
from pathlib import Path

import msgspec

_UNIT = """\
# Made by `recollect init`; `recollect uninstall` removes it.
[Unit]
Description=recollect, the memory of AI agents

[Service]
ExecStart={command}
Restart=on-failure
RestartSec=60
UMask=0077

[Install]
WantedBy=default.target
"""
_REST_S = 60


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """A service that starts the worker of a home with the session of its user.

    Attributes:
        path: The file that describes it.
        text: What it says.
        start: The command that starts it, now and from now on.
        stop: The command that stops it for good.
    """

    path: str
    text: str
    start: str
    stop: str

    @property
    def is_written(self) -> bool:
        """Whether the file is there."""
        return Path(self.path).is_file()


def service_of(home: Path, platform: str = sys.platform) -> Service:
    """Return the service of a home; nothing is written.

    Args:
        home: Its folder. Each has a service of its own.
        platform: As `sys.platform`.
    """
    from recollect.core.settings import default_home

    digest = hashlib.sha256(str(home).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    name = "recollect" if home == default_home() else f"recollect-{digest}"
    command = [sys.executable, "-m", "recollect", "--home", str(home), "serve"]
    return _agent(name, command) if platform == "darwin" else _unit(name, command)


def _unit(name: str, command: list[str]) -> Service:
    import platformdirs

    path = platformdirs.user_config_path() / "systemd" / "user" / f"{name}.service"
    return Service(
        path=str(path),
        text=_UNIT.format(command=" ".join(map(_quoted, command))),
        start=f"systemctl --user enable --now {name}",
        stop=f"systemctl --user disable --now {name}",
    )


def _quoted(part: str) -> str:
    """Return an argument as ExecStart takes it (systemd.service(5), command lines)."""
    for sign, escaped in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("$", "$$")):
        part = part.replace(sign, escaped)
    return f'"{part}"'


def _agent(name: str, command: list[str]) -> Service:
    path = Path.home() / "Library" / "LaunchAgents" / f"{name}.plist"
    described = {
        "Label": name,
        "ProgramArguments": command,
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": _REST_S,
        "Umask": 0o077,
    }
    return Service(
        path=str(path),
        text=plistlib.dumps(described).decode(),
        start=f"launchctl load -w '{path}'",
        stop=f"launchctl unload -w '{path}'",
    )
