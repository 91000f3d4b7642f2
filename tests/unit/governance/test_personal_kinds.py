"""Personal numbers that the owner wants out are in no file of the home, whichever way they came."""

from __future__ import annotations

from pathlib import Path

import recollect
from recollect.memory import Memory
from tests.support.leftovers import files_that_hold
from tests.unit.governance.test_erased_stays_away import FIRST, line, tool_lines, write

CARD, IBAN, SSN = "4111 1111 1111 1111", "DE89370400440532013000", "078-05-1120"
SAID = f"card {CARD}, account {IBAN}, SSN {SSN}"
ALL = ("cards", "iban", "national-ids")


def opened(home: Path, *kinds: str, workspace: Path | None = None) -> Memory:
    """Return a memory that takes some kinds out."""
    overrides = {"embedding.provider": "none", "privacy.kinds": kinds}
    return recollect.open(home, workspace=workspace, overrides=overrides, live=False)


def left_in(home: Path) -> list[str]:
    """Return the numbers that a file of the home still holds."""
    return [number for number in (CARD, IBAN, SSN) if files_that_hold(home, number)]


def fill(memory: Memory, transcripts: Path) -> str:
    """Say the numbers wherever a memory takes a text."""
    session = memory.sessions.create(title=SAID, project=f"/srv/{IBAN}/shop")
    memory.sessions.append(session.id, "user", SAID)
    memory.observations.record(
        session.id, "Bash", input={"iban": IBAN, "run": ["pay", CARD]}, output=SAID
    )
    memory.import_transcripts(transcripts)
    memory.sync()
    return session.id


def told(folder: Path) -> Path:
    """Write a transcript of another program."""
    write(folder, FIRST, [line(1, SAID), *tool_lines(2, SAID)])
    return folder


def test_the_numbers_come_in_by_no_way(tmp_path: Path) -> None:
    """Appended, observed, imported from a program, read from a note, or from another home."""
    home, workspace, claude = tmp_path / "home", tmp_path / "notes", told(tmp_path / "claude")
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text(f"# Shop\n\n{SAID}\n", "utf-8")
    with opened(tmp_path / "other") as memory:
        fill(memory, claude)
        memory.export().save(tmp_path / "all.jsonl")
    assert left_in(tmp_path / "other") == [CARD, IBAN, SSN]
    with opened(home, *ALL, workspace=workspace) as memory:
        session = fill(memory, claude)
        said = memory.sessions.messages(session)[0].text
        assert [f"[redacted:{kind}:" in said for kind in ("card", "iban", "national-id")] == [
            True,
            True,
            True,
        ]
        assert left_in(home) == []
    with opened(tmp_path / "third", *ALL) as memory:
        memory.import_export(tmp_path / "all.jsonl")
        assert memory.sessions.list() != []
    assert left_in(tmp_path / "third") == []


def test_scrubbing_takes_out_the_kinds_that_were_chosen_later(tmp_path: Path) -> None:
    """Those that were not chosen stay."""
    home = tmp_path / "home"
    with opened(home) as memory:
        fill(memory, told(tmp_path / "claude"))
    assert left_in(home) == [CARD, IBAN, SSN]
    with opened(home, "cards", "iban") as memory:
        receipt = memory.scrub()
        assert set(receipt.secrets) == {"card", "iban"}
        assert memory.scrub().rows == {}
    assert left_in(home) == [SSN]
