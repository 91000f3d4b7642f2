"""House rules that no linter knows: floors, bans that really fire, names that must not appear."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = {
    ".py",
    ".md",
    ".toml",
    ".txt",
    ".sql",
    ".sh",
    ".json",
    ".jsonl",
    ".yaml",
    ".yml",
    ".svg",
    "",
}
MADE = {".venv", ".git", "build", "dist", "_build", ".cache", ".hypothesis", ".coverage"}

KNOWN_HOSTS = {
    "127.0.0.1",
    "api.anthropic.com",
    "api.openai.com",
    "api.telegram.org",
    "api.voyageai.com",
    "core.telegram.org",
    "docs.python.org",
    "generativelanguage.googleapis.com",
    "github.com",
    "keepachangelog.com",
    "semver.org",
    "www.apache.org",  # the licence of htm
    "www.w3.org",
}
"""Hosts that a file of the project may name: standards, providers of models, nobody's machine."""

RESERVED = re.compile(r"(^|\.)example(\.(com|net|org))?$|\.(test|invalid)$|^[^.]*$")
"""Names of RFC 2606 and names without a dot: they belong to nobody."""

BANNED = [
    ("src/recollect/index/x.py", "import apsw\n"),
    ("src/recollect/index/x.py", "import sqlite3\n"),
    ("src/recollect/index/x.py", "import os\n\nhome = os.environ\n"),
    ("src/recollect/index/x.py", "from datetime import datetime\n\nnow = datetime.now()\n"),
    ("src/recollect/index/x.py", "import time\n\nnow = time.time()\n"),
    ("src/recollect/index/x.py", "from recollect.index import y\nfrom . import z\n"),
    ("tests/unit/x.py", "from unittest.mock import Mock\n"),
]


PARTICIPLES = frozenset(
    "asked begun chosen done found given gone heard held kept known left lost made meant named"
    " place places read said shown stored taken told wanted written".split()
)
PUBLIC_ARGUMENTS = {
    ("add", "said"),
    ("narrowed", "wanted"),
    ("render", "said"),
    ("repair", "found"),
    ("seq_of", "place"),
}


def _bare_participles(modules: Iterable[Path]) -> Iterator[str]:
    """Yield the arguments and local variables whose name is such a word."""
    for path in modules:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                continue
            for node in ast.walk(function):
                match node:
                    case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                        public = (getattr(function, "name", ""), name) in PUBLIC_ARGUMENTS
                        if name in PARTICIPLES and not public:
                            yield f"{path.relative_to(ROOT)}:{node.lineno}: {name}"


def _files() -> Iterator[Path]:
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        kept = MADE.isdisjoint(parts) and not any(part.endswith("_cache") for part in parts)
        if kept and path.is_file() and path.suffix in TEXT:
            yield path


def test_a_floor_imports_only_lower_floors() -> None:
    """The contracts of pyproject.toml hold; in a process of its own, as it silences all loggers."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("name", "code"), BANNED)
def test_a_banned_api_is_refused_where_it_does_not_belong(name: str, code: str) -> None:
    """The bans are configuration; a typo in it would be silent."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--select",
        "TID",
        "--stdin-filename",
        name,
        "-",
    ]
    done = subprocess.run(command, input=code.encode(), cwd=ROOT, check=False, capture_output=True)
    assert done.returncode == 1, done.stdout.decode()


def test_only_command_lines_print() -> None:
    """A library that prints breaks `--json`, MCP over stdio and hooks."""
    name = "src/recollect/index/x.py"
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--select",
        "T20",
        "--stdin-filename",
        name,
        "-",
    ]
    done = subprocess.run(command, input=b"print(1)\n", cwd=ROOT, check=False, capture_output=True)
    assert done.returncode == 1


def test_no_file_names_a_machine_or_a_package_host() -> None:
    """The project is not tied to where it was written."""
    folders = r"(?<![\w.~])/(?:root|work|opt|Users)/\w"
    address = r"https?://[^\s\"'<>)\[\]`]*"
    found: list[str] = []
    for path in _files():
        text = path.read_text(encoding="utf-8")
        found += [f"{path.relative_to(ROOT)}: {match}" for match in re.findall(folders, text)]
        hosts = {urlsplit(url).hostname or "" for url in re.findall(address, text)} - KNOWN_HOSTS
        foreign = sorted(host for host in hosts if not RESERVED.search(host))
        found += [f"{path.relative_to(ROOT)}: {host}" for host in foreign]
    assert found == []


def test_types_are_read_by_one_module_alone() -> None:
    """In msgspec two threads that do it at once end the process; see `recollect.core.decoding`.

    A module with a call for each row asks `READ` itself.
    """
    calls = {"msgspec.convert", "msgspec.json.Decoder", "msgspec.msgpack.Decoder"}
    typed = {"msgspec.json.decode", "msgspec.msgpack.decode"}
    places = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "src").rglob("*.py")
        if "import READ" not in (source := path.read_text(encoding="utf-8"))
        and path.name != "decoding.py"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and ((name := ast.unparse(node.func)) in calls or (name in typed and node.keywords))
    ]
    assert places == []


def test_no_test_sleeps() -> None:
    """A sleep is either too short or wasted; wait for the thing itself."""
    sleepers = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "sleep"
    ]
    assert sleepers == []


def test_the_changelog_has_a_place_for_the_next_change() -> None:
    """Keep a Changelog: the topmost section is Unreleased."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE)[0] == "[Unreleased]"
    kinds = set(re.findall(r"^### (.*)$", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_constraints_name_versions_and_no_hosts() -> None:
    """A constraints file, not a lock file: it must work behind any index."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert pins
    assert all(re.match(r"^[a-z0-9.-]+==[\w.]+( ; .+)?$", pin) for pin in pins)


def test_a_binding_is_named_for_what_it_is() -> None:
    """`hits`, `rows`, `position` say what they hold; `found` and `place` do not."""
    assert [*_bare_participles(sorted((ROOT / "src/recollect").rglob("*.py")))] == []


def test_one_module_alone_writes_the_rows_of_messages() -> None:
    """It keeps the digests of sessions, and the seqs that were removed."""
    # What is rewritten by name of a column goes through it too, see `renew_message`.
    writes = re.compile(r'(INSERT INTO|UPDATE|DELETE FROM|insert_into\(") ?messages\b')
    writers = [
        path.name for path in (ROOT / "src").rglob("*.py") if writes.search(path.read_text())
    ]
    assert writers == ["message_rows.py"]
