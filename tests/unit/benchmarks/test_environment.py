"""What a figure was measured on."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.measure.environment import (
    describe_environment,
    describe_lines,
    resident_memory,
    settings_fingerprint,
)
from recollect.core.errors import ConfigError


def test_environment_names_versions_and_machine() -> None:
    """Packages that are not installed are left out, not guessed."""
    environment = describe_environment()

    assert {"numpy", "apsw"} <= environment.packages.keys()
    assert environment.cores >= 1
    first, second = describe_lines(environment)
    assert environment.processor in first
    assert f"Python {environment.python}" in second


def test_fingerprint_changes_with_a_setting(tmp_path: Path) -> None:
    """And with nothing else."""
    plain = settings_fingerprint(tmp_path, {})

    assert settings_fingerprint(tmp_path / "other", {}) == plain
    assert settings_fingerprint(tmp_path, {"search.limit": "7"}) != plain


def test_unknown_setting_is_refused_before_anything_runs(tmp_path: Path) -> None:
    """With the nearest name."""
    with pytest.raises(ConfigError, match=r"search\.limitt"):
        settings_fingerprint(tmp_path, {"search.limitt": "7"})


def test_memory_is_read_from_the_kernel_in_megabytes(tmp_path: Path) -> None:
    """The kernel's kB are 1,024 bytes."""
    status = tmp_path / "status"
    status.write_text("Name:\tpython\nVmHWM:\t  2000 kB\nVmRSS:\t  1000 kB\nfoo\n", "ascii")

    found = resident_memory(status)

    assert found is not None
    assert (found.now_mb, found.peak_mb) == (1.024, 2.048)


def test_memory_is_unknown_where_the_system_does_not_tell(tmp_path: Path) -> None:
    """MacOS has no /proc."""
    assert resident_memory(tmp_path / "nothing") is None
