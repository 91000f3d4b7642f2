"""What a figure was measured on: versions, machine, memory of the process, settings fingerprint."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from os import cpu_count, getloadavg
from pathlib import Path

import msgspec

import recollect
from recollect.core.clock import SystemClock, to_datetime
from recollect.core.settings import load_settings

PACKAGES = ("apsw", "numpy", "onnxruntime", "PyStemmer", "msgspec")
"""Packages whose version can change a figure."""

_STATUS = Path("/proc/self/status")
_CPUINFO = Path("/proc/cpuinfo")


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """Where and with what; ``load`` is the one-minute load average at the start of the run."""

    python: str
    system: str
    processor: str
    cores: int
    load: float
    packages: dict[str, str]
    started_at: str


class Resident(msgspec.Struct, frozen=True, kw_only=True):
    """Memory of this process in MB (10^6 bytes): now, and at its highest."""

    now_mb: float
    peak_mb: float


def describe_environment() -> Environment:
    """Return the versions and the machine of this process."""
    return Environment(
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release()}",
        processor=_processor(),
        cores=cpu_count() or 1,
        load=round(getloadavg()[0], 2),
        packages=_versions(),
        started_at=to_datetime(SystemClock().now_ms()).isoformat(timespec="seconds"),
    )


def describe_lines(environment: Environment) -> list[str]:
    """Return the machine in a line and the versions in another."""
    versions = ", ".join(f"{name} {version}" for name, version in environment.packages.items())
    return [
        f"{environment.processor}, {environment.cores} cores, load {environment.load}, "
        f"{environment.system}, {environment.started_at}",
        f"Python {environment.python}, {versions}",
    ]


def settings_fingerprint(home: Path, overrides: Mapping[str, object]) -> str:
    """Return 12 hex digits that change with any setting in force for ``home``.

    Raises:
        ConfigError: an override is unknown or out of range.
    """
    settings = load_settings(home, overrides).settings
    return hashlib.sha256(msgspec.json.encode(settings, order="sorted")).hexdigest()[:12]


def resident_memory(status: Path = _STATUS) -> Resident | None:
    """Return the memory of this process; None where the system has no ``/proc``."""
    try:
        text = status.read_text(encoding="ascii")
    except OSError:
        return None
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return Resident(now_mb=_megabytes(fields["VmRSS"]), peak_mb=_megabytes(fields["VmHWM"]))


def _megabytes(field: str) -> float:
    """Return ``"  1234 kB"`` in MB; the kernel's kB are 1,024 bytes."""
    return int(field.split()[0]) * 1024 / 1e6


def _versions() -> dict[str, str]:
    # Imported here: it brings the mail parser, which the cold start of a probe would pay for.
    from importlib import metadata

    found = {"recollect": recollect.__version__}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _processor(cpuinfo: Path = _CPUINFO) -> str:
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
