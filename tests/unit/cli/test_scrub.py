"""`recollect scrub`: a dry run first, then the receipt."""

from __future__ import annotations

from pathlib import Path

import recollect
from tests.unit.cli.conftest import Run

LEXICAL = {"embedding.provider": "none"}


def test_a_pattern_that_came_late_finds_what_was_stored(run: Run, tmp_path: Path) -> None:
    """The screen names kinds and tables, and never the secret."""
    home = tmp_path / "home"
    with recollect.open(home, overrides=LEXICAL, live=False) as memory:
        session = memory.sessions.create(title="Badges")
        memory.sessions.append(session.id, "user", "The badge is ACME-204411.")
        memory.observations.record(session.id, "Bash", input={"command": "id ACME-204411"})
    assert run("--home", home, "scrub").out == "nothing to redact\n"
    (home / "config.yaml").write_text("privacy:\n  patterns: ['ACME-[0-9]{6}']\n")
    told = run("--home", home, "scrub", "--dry-run")
    assert "would be redacted" in told.out
    done = run("--home", home, "scrub", "--json").json
    assert (done["rows"]["messages"], done["rows"]["observations"]) == (1, 1)
    assert (done["is_clean"], done["dry_run"]) == (True, False)
    assert "204411" not in told.out + str(done)
    assert run("--home", home, "scrub").out == "nothing to redact\n"
