"""Changes a room in places drawn by a seed, and names the changes that no test notices.

Usage: python -m scripts.mutate [--places N] [--seed N] [--cores N] [--room NAME]. Works on
copies of the checkout, one for each core. One run with coverage finds which tests of the room
enter which line; a change is shown to those tests, the fastest first, and then to every file of the
room that enters the module or starts processes, of which coverage sees nothing. Takes long, so it
is not part of CI; a survivor is a missing test or a change that means nothing, and somebody has to
judge which.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

import msgspec
from coverage import CoverageData

from scripts import process_starts

ROOT = Path(__file__).resolve().parent.parent


class Room(msgspec.Struct, frozen=True):
    """Modules that are changed, and the tests that have to notice."""

    modules: tuple[str, ...]
    """Files and folders under `src/recollect`."""
    tests: tuple[str, ...]
    """Files, folders and patterns under `tests`."""


ROOMS = {
    "aio": Room(("aio",), ("unit/aio", "unit/test_every_call.py")),
    "home": Room(
        ("home.py", "home_index.py", "rooms.py", "upkeep.py", "memory_exchange.py"),
        ("unit/test_*.py", "unit/recall", "integration/background"),
    ),
    "audience": Room(
        ("caller.py", "recall/audience.py", "recall/ownership.py", "recall/guest_notes.py",
         "audience", "sessions/policy/conversation.py",
         "sessions/record/access.py"),
        ("unit/audience", "unit/test_caller.py", "unit/test_plain_names.py", "unit/test_users.py",
         "unit/test_within.py", "unit/recall/test_audience.py",
         "unit/recall/test_channels.py", "unit/recall/test_narrowed_search.py",
         "unit/observations/test_who_hears.py",
         "unit/sessions/test_identities.py", "unit/sessions/test_owner.py",
         "unit/sessions/test_guest_notes.py",
         "unit/exchange/test_senders.py", "unit/sessions/test_serving.py",
         "unit/sessions/test_unknown_origin.py", "unit/sessions/test_ways_in.py",
         "integration/recall/test_audiences.py", "integration/recall/test_callers.py",
         "integration/recall/test_forks_found.py", "integration/recall/test_isolation.py"),
    ),
    "answers": Room(
        ("answers",),
        ("integration/mcp/test_tools.py", "unit/server/test_seed_endpoints.py",
         "unit/cli/test_search.py", "unit/cli/test_json_schemas.py"),
    ),
    "backends": Room(("backends",), ("unit/backends", "unit/recall/qmd", "unit/index/lexical",
                                     "integration/index/test_vector_backends.py")),
    "checkpoints": Room(
        ("checkpoints", "memory_checkpoints.py", "caller_checkpoints.py"),
        ("unit/checkpoints", "unit/cli/test_checkpoints.py", "unit/server/test_checkpoints.py"),
    ),
    "respond": Room(("respond", "memory_respond.py"), ("unit/respond", "integration/respond")),
    "cli": Room(("cli", "__main__.py", "demo"), ("unit/cli", "integration/cli")),
    "core": Room(("core", "__init__.py"), ("unit/core", "unit/test_clear_errors.py")),
    "erasure": Room(
        ("governance/erasure.py", "governance/removal.py", "governance/parts.py",
         "governance/selection.py",
         "governance/plan.py", "governance/sweep.py", "governance/scrubbing.py",
         "governance/stored_text.py", "governance/retention.py", "governance/record_limits.py",
         "governance/use_preview.py", "sessions/record/tombstone.py"),
        ("unit/governance/test_eras*.py", "unit/governance/test_memory_prune.py",
         "unit/governance/test_personal_kinds.py", "unit/governance/test_record_limits.py",
         "unit/governance/test_retention.py", "unit/governance/test_scrubbing.py",
         "unit/governance/test_turn_cut.py", "unit/sessions/test_deleted.py",
         "unit/observations/test_removal.py", "unit/index/test_removal.py"),
    ),
    "exchange": Room(("exchange",), ("unit/exchange", "integration/server/test_exchange.py")),
    "governance": Room(("governance",), ("unit/governance",)),
    "hook": Room(("hook",), ("unit/hook", "integration/hook", "unit/cli/test_hook.py")),
    "index": Room(("index",), ("unit/index",)),
    "integrations": Room(("integrations",), ("unit/integrations",)),
    "knowledge": Room(("knowledge",), ("unit/knowledge",)),
    "mcp": Room(("mcp",), ("unit/mcp", "integration/mcp")),
    "memory": Room(
        ("memory.py", "memory_sessions.py", "session_handle.py", "pool.py"), ("unit/test_*.py",)
    ),
    "models": Room(("models",), ("unit/models", "integration/models")),
    "observations": Room(
        ("observations",),
        ("unit/observations", "unit/sessions/test_endings.py", "unit/server/test_client_hooks.py",
         "unit/exchange", "integration/recall/test_model_uses.py"),
    ),
    "recall": Room(("recall",), ("unit/recall",)),
    "recovery": Room(
        ("exchange/recover.py", "governance/restore.py", "governance/backup.py",
         "governance/aside.py", "governance/foreign_settings.py", "restoring.py",
         "exchange/mirrors.py", "sessions/mirror/recovery_file.py"),
        ("unit/exchange/test_recover.py", "unit/governance/test_restore.py",
         "unit/governance/test_backup.py", "unit/governance/test_any_history.py",
         "unit/cli/test_backup.py", "unit/cli/test_foreign_settings.py",
         "integration/cli/test_recover.py", "integration/cli/test_lost_records.py"),
    ),
    "redaction": Room(
        ("text/redaction", "text/secret_redactor.py"),
        ("unit/text/redaction", "unit/text/test_secret_redactor.py", "attacks"),
    ),
    "server": Room(("server",), ("unit/server", "integration/server")),
    "sessions": Room(("sessions",), ("unit/sessions",)),
    "store": Room(("store",), ("unit/store",)),
    "testing": Room(("testing",), ("unit/testing", "unit/store")),
    "text": Room(("text",), ("unit/text",)),
    "times": Room(("text/times",), ("unit/text/times", "unit/test_moments.py",
                                    "unit/index/test_time_fit.py")),
    "tokens": Room(
        ("governance/tokens.py", "governance/token_file.py", "server/middleware.py"),
        ("unit/governance/test_tokens.py", "unit/cli/test_tokens.py",
         "unit/server", "integration/server/test_guard_matrix.py"),
    ),
    "workspace": Room(("workspace",), ("unit/recall", "unit/index", "integration/watching")),
}  # fmt: skip
"""A module belongs to the room that names it most exactly."""

COPIED = ("docs", "src", "tests", "benchmarks", "scripts", "pyproject.toml")
NOT_COLLECTED = 4
"""The exit status of pytest where a named test is not there: an import failed, or an id differs."""
SLOWEST = 3
"""So many times as long as without a change, and it counts as noticed: it hangs."""
STARTING_S = 20
"""What a run may take besides its tests."""
FEWER = {"AUDIENCE_HISTORIES": "12", "CONTEXT_HISTORIES": "12", "WORKER_ROUNDS": "2"}
"""Of the random histories, which have minutes in `make test`."""

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a file, and what stands there instead."""

    path: Path
    line: int
    old: str
    new: str
    text: str
    """The whole file with the change."""


def changes_of(path: Path) -> Iterator[Change]:
    """Yield every change of a module: one operator, constant, condition or result at a time."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _code_of(tree):
        for new in _changed(node):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            raw = text.encode()
            whole = (raw[:start] + f"({new})".encode() + raw[end:]).decode()
            yield Change(
                path=path,
                line=node.lineno,
                old=" ".join(raw[start:end].decode().split()),
                new=new,
                text=whole,
            )


def _code_of(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that run: no annotations, docstrings or class options."""
    left_out = {"annotation", "returns", "decorator_list"}
    if isinstance(tree, ast.ClassDef):
        left_out.add("keywords")  # frozen, kw_only: the type checker knows who assigns
    for name, value in ast.iter_fields(tree):
        if name in left_out:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.JoinedStr) or not isinstance(child, ast.AST):
                continue  # the places within an f-string are not exact in Python 3.11
            if isinstance(child, ast.expr):
                yield child
            yield from _code_of(child)


def _changed(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Compare(left, [operator], [right]) if type(operator) in SWAPS:
            swapped = SWAPS[type(operator)]()
            yield ast.unparse(ast.Compare(left, [swapped], [right]))  # type: ignore[list-item]
        case ast.BoolOp(operator, values):
            yield ast.unparse(ast.BoolOp(SWAPS[type(operator)](), values))  # type: ignore[arg-type]
        case ast.BinOp(left, operator, right) if type(operator) in SWAPS:
            swapped = SWAPS[type(operator)]()
            yield ast.unparse(ast.BinOp(left, swapped, right))  # type: ignore[arg-type]
        case ast.UnaryOp(ast.Not(), operand):
            yield ast.unparse(operand)
        case ast.Constant(bool() as value):
            yield repr(not value)
        case ast.Constant(int() as value):
            yield repr(value + 1)
        case ast.IfExp(_, body, orelse):
            yield from (ast.unparse(body), ast.unparse(orelse))


class Bench:
    """A copy of the checkout for each core, and the tests of a room run in it."""

    def __init__(self, folder: Path, cores: int) -> None:
        self._free: SimpleQueue[Path] = SimpleQueue()
        self.first = folder / "0"
        for number in range(cores):
            copy = folder / str(number)
            for name in COPIED:
                if (ROOT / name).is_dir():
                    shutil.copytree(ROOT / name, copy / name)
                else:
                    shutil.copy2(ROOT / name, copy / name)
            self._free.put(copy)

    def notices(self, change: Change, runs: Iterable[Run]) -> bool:
        """Return whether a test fails with the change, or hangs.

        Args:
            change: One place of one module.
            runs: The tests, those first that are the most likely to notice.
        """
        copy = self._free.get()
        target = copy / change.path.relative_to(ROOT)
        original = target.read_text(encoding="utf-8")
        try:
            target.write_text(change.text, encoding="utf-8")
            _forget_compiled(target)
            statuses = (_run(copy, run.tests, run.limit_s) for run in runs)
            return any(status not in {0, NOT_COLLECTED} for status in statuses)
        finally:
            target.write_text(original, encoding="utf-8")
            _forget_compiled(target)
            self._free.put(copy)


def _forget_compiled(module: Path) -> None:
    """A change of the same second and size would not be seen."""
    for compiled in module.parent.glob(f"__pycache__/{module.stem}.*.pyc"):
        compiled.unlink()


def _run(copy: Path, tests: list[str], limit: float | None, *options: str) -> int | None:
    """Return the exit status of pytest; None when it took longer than the limit, or did not end."""
    names = copy / ".tests"
    names.write_text("\n".join(tests), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"]
    environment = {
        **os.environ,  # noqa: TID251 - of the child
        **FEWER,
        "PYTHONPATH": str(copy / "src"),
    }
    try:
        completed = subprocess.run(
            [*command, *(options or ("-x", "-p", "no:xdist")), f"@{names}"],
            cwd=copy,
            env=environment,
            stdout=(copy / ".output").open("wb"),
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    if completed.returncode == 0 and b" passed" not in (copy / ".output").read_bytes()[-400:]:
        return None  # the change ended pytest itself
    return completed.returncode


class Run(msgspec.Struct, frozen=True):
    """Tests to run together."""

    tests: list[str]
    """Ids or files."""
    limit_s: float
    """After so long they hang."""


class Coverage:
    """Which tests enter which line, which start processes, and how long each takes.

    Args:
        copy: Of the checkout.
        modules: The ones that are changed; tracing no others is several times as fast.
        tests: Files and folders of the room.
        cores: How many tests run at once.
    """

    def __init__(self, copy: Path, modules: list[Path], tests: list[str], cores: int) -> None:
        included = [f"    {copy / module.relative_to(ROOT)}" for module in modules]
        traced = copy / ".coveragerc"
        traced.write_text("\n".join(["[run]", "include =", *included]), encoding="utf-8")
        report = copy / ".report.xml"
        options = ("--numprocesses", str(cores), f"--junitxml={report}", "-o",
                   "junit_family=xunit1", "--cov", f"--cov-config={traced}",
                   "--cov-context=test", "--cov-report=",
                   "-p", process_starts.__name__)  # fmt: skip
        (copy / process_starts.NOTED).write_text("", encoding="utf-8")
        if _run(copy, tests, None, *options):
            output = (copy / ".output").read_text(encoding="utf-8", errors="replace")
            raise SystemExit(f"{output[-4000:]}\n{tests} fail without a change")
        self._source = copy
        self._cores = cores
        self._data = CoverageData(str(copy / ".coverage"))
        self._data.read()
        noted = (copy / process_starts.NOTED).read_text(encoding="utf-8")
        self._starts_processes = set(noted.splitlines())
        self._seconds: dict[str, dict[str, float]] = {}
        for case in ElementTree.parse(report).iter("testcase"):  # noqa: S314 - our own
            of_file = self._seconds.setdefault(case.get("file", ""), {})
            of_file[case.get("name", "")] = float(case.get("time", "0"))

    def runs_for(self, change: Change) -> Iterator[Run]:
        """Yield the tests that enter the line, and then the files that may notice all the same.

        A line that runs at import, as that of a constant, may mean something to any of them: those
        that enter its module come first, and then the whole room.
        """
        path = str(self._source / change.path.relative_to(ROOT))
        lines = self._data.contexts_by_lineno(path)
        in_module = {each.rpartition("|")[0] for line in lines.values() for each in line} - {""}
        on_line = lines.get(change.line, [])
        is_import = "" in on_line
        near = in_module if is_import else {each.rpartition("|")[0] for each in on_line}
        if near:
            ids = sorted(near, key=lambda test: (self._time_of(test), test))
            yield self._run_of(ids, sum(map(self._time_of, ids)))
        may_notice = {test.partition("::")[0] for test in in_module} | self._starts_processes
        files = set(self._seconds) if is_import or not near else may_notice
        spent = {file: sum(self._seconds.get(file, {}).values()) for file in files}
        yield self._run_of(sorted(files, key=lambda file: (spent[file], file)), sum(spent.values()))

    def _run_of(self, tests: list[str], seconds: float) -> Run:
        return Run(tests, STARTING_S + SLOWEST * self._cores * seconds)

    def _time_of(self, test: str) -> float:
        file, _, rest = test.partition("::")
        of_file = self._seconds.get(file, {})
        return of_file.get(rest, of_file.get(rest.rpartition("::")[2], 0))


def measure(bench: Bench, cores: int, name: str, places: int, seed: int) -> None:
    """Print the changes of a room that nothing notices, as they are found, and their share."""
    tests = list(_tests_of(ROOMS[name]))
    modules = modules_of(name)
    coverage = Coverage(bench.first, modules, tests, cores)
    all_changes = [change for module in modules for change in changes_of(module)]
    sample = random.Random(f"{seed} {name}").sample(  # noqa: S311
        all_changes, min(places, len(all_changes))
    )
    noticed = 0
    with ThreadPoolExecutor(cores) as pool:
        verdicts = pool.map(lambda each: bench.notices(each, coverage.runs_for(each)), sample)
        for change, is_noticed in zip(sample, verdicts, strict=True):
            noticed += is_noticed
            if not is_noticed:
                where = f"{change.path.relative_to(ROOT)}:{change.line}"
                print(f"  {where}: {change.old[:70]} -> {change.new[:70]}", flush=True)
    print(f"{name}: {noticed} of {len(sample)} noticed, {100 * noticed / len(sample):.0f} %"
          f" ({len(all_changes)} places, seed {seed})", flush=True)  # fmt: skip


def modules_of(name: str) -> list[Path]:
    """Return the modules of a room, those that a more exact room names left out."""
    package = ROOT / "src" / "recollect"
    return [path for path in sorted(package.rglob("*.py")) if room_of(path) == name]


def room_of(module: Path) -> str | None:
    """Return the room that names a module most exactly; None when none does."""
    path = module.relative_to(ROOT / "src" / "recollect")
    name_by_depth = {
        len(Path(owned).parts): name
        for name, room in ROOMS.items()
        for owned in room.modules
        if path.is_relative_to(owned)
    }
    return name_by_depth[max(name_by_depth)] if name_by_depth else None


def _tests_of(room: Room) -> Iterator[str]:
    for pattern in room.tests:
        for path in sorted((ROOT / "tests").glob(pattern)):
            yield str(path.relative_to(ROOT))


def main() -> None:
    """Measure the rooms one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--places", type=int, default=40, help="changes in each room")
    parser.add_argument("--seed", type=int, default=9, help="the same seed draws the same places")
    parser.add_argument("--room", choices=[*ROOMS], action="append", help="all by default")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1, help="all by default")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-mutate-") as folder:
        bench = Bench(Path(folder), arguments.cores)
        for room in arguments.room or ROOMS:
            measure(bench, arguments.cores, room, arguments.places, arguments.seed)


if __name__ == "__main__":
    main()
