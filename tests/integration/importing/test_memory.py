"""The sample that ships with recollect, imported through the facade."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import recollect

SAMPLE = Path(recollect.__file__).parent / "demo" / "transcripts"


def test_the_sample_is_imported_once_and_mirrored(tmp_path: Path) -> None:
    """Three formats, each told by its lines; a second import finds nothing to do."""
    lexical = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=lexical) as memory:
        report = memory.import_transcripts(SAMPLE)
        assert (report.malformed_count, report.duplicates, report.undated) == (0, 0, 0)
        sources = Counter(session.source for session in memory.sessions.list())
        assert set(sources) == {"claude-code", "openclaw", "jsonl"}
        assert sources.total() == report.sessions == report.files
        assert memory.import_transcripts(SAMPLE).unchanged == report.files
    mirrors = list((tmp_path / "home" / "transcripts").glob("*.jsonl"))
    lines = sum(path.read_bytes().count(b"\n") for path in mirrors)
    assert lines == report.messages + report.sessions
    with recollect.open(tmp_path / "home", overrides=lexical) as memory:
        assert memory.heal_mirrors() == {"equal": report.sessions}


def test_what_was_imported_is_found(tmp_path: Path) -> None:
    """From a foreign line to a hit that names its session and seq."""
    (tmp_path / "in").mkdir()
    line = '{"role": "user", "content": "The wifi password is on the fridge", "session": "flat"}\n'
    (tmp_path / "in" / "a.jsonl").write_text(line, encoding="utf-8")
    with recollect.open(tmp_path / "home", overrides={"embedding.provider": "none"}) as memory:
        memory.import_transcripts(tmp_path / "in", "jsonl")
        memory.sync()
        (hit,) = memory.search("wifi fridge").hits
        (session,) = memory.sessions.list(key="flat")
        assert (hit.session_id, hit.seq) == (session.id, 1)
