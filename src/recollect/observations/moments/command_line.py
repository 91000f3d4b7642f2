"""Command lines of a shell: the commands of a chain, what they write, their here-documents.

No shell: nothing is expanded, and what is not understood is a word. Linear in the length.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Iterator

import msgspec

_MOST_READ = 64_000
"""Characters of a command line that are read; a longer one is a file in a here-document."""
_TOKEN = re.compile(
    r"(?P<blank>[ \t\r]+|\\\n)"
    r"|(?P<here><<-?[ \t]*(?P<quote>['\"]?)(?P<tag>[\w.-]+)(?P=quote))"
    r"|(?P<write>(?:\d|&)?>>?\|?(?!&)|&>>?)|(?P<copy>\d?[<>]&\d?-?)|(?P<read><<<|<)"
    r"|(?P<end>\n|&&|\|\||\|&?|;+|&|[{}](?=\s|$|[;|&)])|[()])"
    r"|'(?P<plain>[^']*)'?|(?P<double>\")|\\(?P<escaped>.)|(?P<sub>\$\()"
    r"|(?P<word>[^\s'\"\\<>|;&()$]+|.)",
    re.DOTALL,
)
_IN_DOUBLE = re.compile(
    r"(?P<end>\")|\\(?P<escaped>.)|(?P<here>\$\(\s*cat\s+<<-?[ \t]*(?P<quote>['\"]?)"
    r"(?P<tag>[\w.-]+)(?P=quote)[^\n]*\n)|(?P<text>[^\"\\$]+|\$)",
    re.DOTALL,
)
_CLOSES = re.compile(r"\s*\)")
_ASSIGNED = re.compile(r"\w+\+?=")
_WRAPPERS = frozenset(
    "sudo doas env time nohup command exec nice then do else if while until ! { builtin".split()
)
"""Words before a command that leave it what it is."""
_WITH_OPTIONS = frozenset("sudo env nice".split())
_RUNNERS = {
    "uv": "run", "poetry": "run", "pipenv": "run", "hatch": "run", "pdm": "run", "rye": "run",
    "bundle": "exec", "pnpm": "exec", "yarn": "exec", "npm": "exec", "npx": "", "bunx": "",
}  # fmt: skip
"""Programs that run another one, and the word for it."""
_SHELL = frozenset("bash sh zsh dash".split())
_NO_FILE = re.compile(r"/dev/|/proc/|.*[$*`]")


class ShellCommand(msgspec.Struct, frozen=True, kw_only=True):
    """One command of a chain.

    Attributes:
        words: The program, without its folder, and its arguments, without quotes.
        writes: The files that its output goes to.
        body: Its here-document; None: it has none.
        end: What follows: ``&&``, ``||``, ``|``, ``;`` …; empty at the end.
    """

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    body: str | None = None
    end: str = ""

    @property
    def program(self) -> str:
        """What is run, without its folder."""
        return self.words[0] if self.words else ""

    @property
    def operands(self) -> tuple[str, ...]:
        """The words after the program besides its options."""
        return tuple(word for word in self.words[1:] if not word.startswith("-"))


@functools.lru_cache(maxsize=8)
def commands(line: str) -> tuple[ShellCommand, ...]:
    """Return the commands of a command line, in order.

    >>> [each.words for each in commands("cd app && git commit -m 'Brew tea'; ls")]
    [('cd', 'app'), ('git', 'commit', '-m', 'Brew tea'), ('ls',)]
    """
    return tuple(_Reader(line[:_MOST_READ]).commands())


def written_files(line: str) -> tuple[str, ...]:
    r"""Return the files that a command line writes words or a here-document into, each once.

    Not where a program puts its log.

    >>> written_files("cd app && cat > tea.py <<EOF\nbrew()\nEOF"), written_files("make > log")
    (('app/tea.py',), ())
    """
    folder = ""
    files: dict[str, None] = {}
    for each in commands(line):
        if each.program == "cd" and len(each.words) > 1:
            folder = posixpath.join(folder, each.words[1])
        for file in _written(each):
            if not _NO_FILE.match(file):
                files[posixpath.normpath(posixpath.join(folder, file))] = None
    return tuple(files)


def _written(command: ShellCommand) -> Iterator[str]:
    if command.program in {"cat", "echo", "printf"}:
        yield from command.writes
    elif command.program == "tee":
        yield from command.operands
    elif command.program == "sed" and any(_edits_in_place(word) for word in command.words):
        yield from command.operands[1:]


def _edits_in_place(option: str) -> bool:
    return bool(re.match(r"-[a-zA-Z]*i|--in-place", option))


class _Reader:
    """Reads a command line from its beginning to its end."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._at = 0
        self._words: list[str] = []
        self._writes: list[str] = []
        self._body: str | None = None
        self._word: str | None = None
        self._is_target = False
        """Whether the next word is where the output goes."""
        self._tag: str | None = None
        """Of a here-document that begins with the next line."""

    def commands(self) -> Iterator[ShellCommand]:
        while self._at < len(self._line):
            match = _TOKEN.match(self._line, self._at)
            if match is None:
                break
            self._at = match.end()
            end = self._took(match)
            if end is not None:
                yield from self._ended(end)
        self._end_word()
        yield from self._ended("")

    def _took(self, match: re.Match[str]) -> str | None:
        """Take a token in; return the sign that ends a command, if it is one."""
        kind = match.lastgroup or ""
        if kind == "word" and match[0][0] == "#" and self._word is None:
            self._at = self._end_of_line()
        elif kind in {"plain", "double", "escaped", "word"}:
            text = self._quoted() if kind == "double" else match[kind]
            self._word = (self._word or "") + text
        else:
            self._end_word()
            self._is_target = kind == "write" or (kind == "blank" and self._is_target)
            self._tag = match["tag"] or self._tag
        return match[0] if kind in {"end", "sub"} else None

    def _end_word(self) -> None:
        if self._word is None:
            return
        (self._writes if self._is_target else self._words).append(self._word)
        self._word, self._is_target = None, False

    def _ended(self, end: str) -> Iterator[ShellCommand]:
        if self._tag is not None and end != "\n":
            self._body = self._peek(self._tag)
        elif self._tag is not None:
            self._body, self._at = self._here(self._tag, self._at)
            self._tag = None
        ended = _command(self._words, self._writes, self._body, end)
        self._words, self._writes, self._body = [], [], None
        return iter(ended)

    def _peek(self, tag: str) -> str:
        return self._here(tag, self._end_of_line() + 1)[0]

    def _end_of_line(self) -> int:
        end = self._line.find("\n", self._at)
        return len(self._line) if end < 0 else end

    def _here(self, tag: str, start: int) -> tuple[str, int]:
        """Return the here-document that begins at an offset, and the offset after its last line."""
        end = re.compile(rf"^[ \t]*{re.escape(tag)}[ \t]*$", re.MULTILINE).search(self._line, start)
        if end is None:
            return self._line[start:], len(self._line)
        return self._line[start : end.start()], end.end()

    def _quoted(self) -> str:
        """Return a text in double quotes, with the here-documents that `cat` is given in it."""
        parts: list[str] = []
        while (match := _IN_DOUBLE.match(self._line, self._at)) is not None:
            self._at = match.end()
            if match["end"]:
                break
            if match["tag"] is None:
                parts.append(match["escaped"] or match["text"] or "")
                continue
            body, self._at = self._here(match["tag"], self._at)
            closing = _CLOSES.match(self._line, self._at)
            self._at = closing.end() if closing else self._at
            parts.append(body)
        return "".join(parts)


def _command(
    words: list[str], writes: list[str], body: str | None, end: str
) -> tuple[ShellCommand, ...]:
    """Return a command without what stands before it, or those of a shell that it starts."""
    words = _without_wrappers(words)
    if words and posixpath.basename(words[0]) in _SHELL and len(words) > 2 and words[1][:1] == "-":
        if len(words) == 3 and "c" in words[1]:
            return tuple(_Reader(words[2]).commands())
        words = _without_wrappers(words[2:])
    if not words and not writes:
        return ()
    if words:
        words[0] = posixpath.basename(words[0])
    return (ShellCommand(words=tuple(words), writes=tuple(writes), body=body, end=end),)


def _without_wrappers(words: list[str]) -> list[str]:
    at = 0
    while count := _wrapping(words[at:]):
        at += count
    return words[at:]


def _wrapping(words: list[str]) -> int:
    """Return how many of the first words only wrap the command after them."""
    first, second = (*words[:2], "", "")[:2]
    if first in _WRAPPERS or _ASSIGNED.match(first):
        return 1 + (_options(words[1:]) if first in _WITH_OPTIONS else 0)
    if first == "timeout":
        options = 1 + _options(words[1:])
        return options + int(words[options : options + 1] != [] and words[options][:1].isdigit())
    if _RUNNERS.get(first) == "":
        return 1 + _options(words[1:])
    if first in _RUNNERS and second == _RUNNERS[first]:
        return 2
    if posixpath.basename(first).startswith("python"):
        return 2 if second == "-m" else int(second == "manage.py")
    return 0


def _options(words: list[str]) -> int:
    """Return how many of the first words are options, or the value of ``-k``."""
    count = 0
    while words[count : count + 1] and words[count][:1] == "-":
        count += 2 if words[count] == "-k" else 1
    return count
