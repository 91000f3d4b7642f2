"""Runs of tests: which command of a chain is one, and how many tests passed and failed.

Of the output of a run only numbers are read: what it says can enter no title.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

import msgspec

from recollect.observations.moments.command_line import ShellCommand, commands

_TAIL = 4_000
"""Characters at the end of an output: totals come last. A row keeps more of it than that."""
_RUNNERS = frozenset(
    "pytest py.test jest vitest mocha ava tox nox phpunit rspec ctest behave unittest nosetests"
    " bats ginkgo karma pest nextest".split()
)
_OF_A_TEST = re.compile(r"(?i)(?:.*:)?(?:run-?)?(?:tests?|check|spec|e2e|unit|t)(?:[:._-].*)?$")
_OF_A_BUILD = re.compile(r"(?i)(?:.*:)?(?:\w*tests?|check|verify|integration-test)(?:[A-Z]\w*)?$")
_SUBCOMMANDS = {
    **dict.fromkeys("npm pnpm yarn bun".split(), _OF_A_TEST),
    **dict.fromkeys("make just task rake invoke composer deno".split(), _OF_A_TEST),
    **dict.fromkeys("cargo go dotnet swift mix sbt bazel flutter dart rails".split(), _OF_A_TEST),
    **dict.fromkeys("gradle gradlew mvn mvnw ant zig".split(), _OF_A_BUILD),
    **dict.fromkeys("playwright cypress manage.py django-admin".split(), _OF_A_TEST),
    **dict.fromkeys("docker podman kubectl".split(), re.compile("(?:py.?test|jest|vitest)$")),
}  # fmt: skip
"""Programs that run tests among others, and which of their commands do."""
_ANY_OPERAND = frozenset(
    "make just task rake gradle gradlew mvn mvnw ant docker podman kubectl".split()
)
_NO_RUN = frozenset("--version --help -h --collect-only --co --list --listTests".split())
_BY_NAME = (
    ("passed", r"(?<!\d)(\d{1,7}) (?:tests? )?(?:pass(?:ed|ing)?)\b"
     r"|\b[Pp]ass(?:ed)?:? +(\d{1,7})\b"),
    ("failed", r"(?<!\d)(\d{1,7}) (?:tests? )?(?:fail(?:ed|ing|ures?)?)\b"
     r"|\b[Ff]ail(?:ed|ures)?[:=]? *(\d{1,7})\b"),
    ("errors", r"(?<!\d)(\d{1,7}) errors?\b|\b[Ee]rrors[:=] ?(\d{1,7})\b"),
    ("skipped", r"(?<!\d)(\d{1,7}) (?:tests? )?(?:skipped|pending)\b"
     r"|\b[Ss]kipped[:=] ?(\d{1,7})\b"),
    ("run", r"\b(?:Tests run: |Ran |Tests: |OK \()(\d{1,7})\b(?! (?:passed|failed|skipped))"
     r"|(?<!\d)(\d{1,7}) (?:tests completed|examples)\b"),
)  # fmt: skip
_PATTERNS = tuple((name, re.compile(source)) for name, source in _BY_NAME)
_TOTALS = re.compile(r"^\W*(?:\[\w+\] )?(?:Tests\b|test result:)|^(?!Ran\b).* in \d[\d.]*s\b")
"""The line of totals where a runner has numbers on other lines, too."""
_SPLIT = re.compile(r"\\?\r?\\?\n|\\n")
_HAS_DIGIT = re.compile(r"\d")
_GO = re.compile(r"(?m)^(ok|FAIL)\s+[\w./-]+\s+\S")


class RunTally(msgspec.Struct, frozen=True, kw_only=True):
    """How many tests did what; 0 also where that is not known."""

    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0

    @property
    def is_failure(self) -> bool:
        """Whether any failed."""
        return bool(self.failed or self.errors)

    def __str__(self) -> str:
        """Return the numbers in words, failures first; empty where there are none.

        >>> str(RunTally(passed=40, failed=2)), str(RunTally())
        ('2 failed, 40 passed', '')
        """
        counts = (self.failed, "failed"), (self.errors, "errors"), (self.passed, "passed")
        return ", ".join(f"{count} {name}" for count, name in counts if count)


def runs_of_tests(line: str) -> tuple[ShellCommand, ...]:
    """Return the commands of a command line that run tests.

    >>> [each.words for each in runs_of_tests("npm ci && npm test -- --run; ls")]
    [('npm', 'test', '--', '--run')]
    """
    return tuple(each for each in commands(line) if _runs_tests(each))


def _runs_tests(command: ShellCommand) -> bool:
    program = command.program.removesuffix(".cmd").removesuffix(".bat")
    if not _NO_RUN.isdisjoint(command.words):
        return False
    if program in _RUNNERS:
        return True
    if program == "node":
        return "--test" in command.words
    of = _SUBCOMMANDS.get(program)
    if of is None:
        return False
    operands = [word for word in command.operands if word not in {"run", "nextest"}]
    if program == "cargo" and "nextest" in command.operands:
        return True
    return any(map(of.match, operands if program in _ANY_OPERAND else operands[:1]))


@functools.lru_cache(maxsize=8)  # type, importance and title ask about the same output
def tally_of(output: str) -> RunTally:
    r"""Return what the output of a run of tests counts.

    >>> str(tally_of("=== 1 failed, 3 passed in 0.1s ===")), str(tally_of("nothing"))
    ('1 failed, 3 passed', '')
    """
    lines = [line for line in _SPLIT.split(output[-_TAIL:]) if line]
    packages = _GO.findall("\n".join(lines))
    if packages:
        return RunTally(passed=packages.count("ok"), failed=packages.count("FAIL"))
    counted = [(line, dict(_counts(line))) for line in lines]
    totals = [(line, counts) for line, counts in counted if counts and _TOTALS.search(line)]
    if not totals:
        return _sum(_last_block([counts for _, counts in counted]))
    of_parts = totals[-1][0].startswith("test result")  # of Rust, one for each program
    return _sum([counts for _, counts in (totals if of_parts else totals[-1:])])


def _last_block(counted: list[dict[str, int]]) -> list[dict[str, int]]:
    """Return the last lines with numbers that stand together."""
    while counted and not counted[-1]:
        counted.pop()
    start = len(counted)
    while start and counted[start - 1]:
        start -= 1
    return counted[start:]


def _counts(line: str) -> Iterator[tuple[str, int]]:
    for name, pattern in _PATTERNS if _HAS_DIGIT.search(line) else ():
        match = pattern.search(line)
        if match is not None:
            yield name, int(next(filter(None, match.groups())))


def _sum(counted: list[dict[str, int]]) -> RunTally:
    of = {name: sum(each.get(name, 0) for each in counted) for name, _ in _PATTERNS}
    others = of["failed"] + of["errors"] + of["skipped"]
    passed = of["passed"] or max(0, of["run"] - others)
    return RunTally(passed=passed, failed=of["failed"], errors=of["errors"], skipped=of["skipped"])
