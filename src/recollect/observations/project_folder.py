"""Where a folder belongs: the tree that it lies in, by its `.recollect-project` and `.git`.

Nothing is run, and nothing is read but these two and the files of a git directory that names the
tree back. Files are regular, of this user, and read up to a size; links are not followed.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from recollect.core.checks import check_text
from recollect.core.errors import RecollectError
from recollect.store.paths import open_beneath

MARK_FILE = ".recollect-project"
"""Lines ``id: …`` and ``name: …`` say which project a folder and all below it are."""
MAX_BYTES = 64 * 1024
"""A larger configuration of git is read up to here; the others have a few dozen bytes."""
_DEPTH = 256
_MARK_LINE = re.compile(r"\s*(id|name)\s*:\s*(\S(?:.*\S)?)\s*")
_FILE_ID = re.compile(r"[A-Za-z0-9_-]{16,64}")
"""Shorter ones can be guessed, and whoever knows an id joins the project."""
_SECTION = re.compile(r'\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_ENTRY = re.compile(r"\s*([\w-]+)\s*=(.*)")
_SCP = re.compile(r"(?:[^@/\s]+@)?(\[[^\]\s]+\]|[^:/\s]+):(?!//)(\S+)")
_USUAL_PORTS = {"ssh": 22, "git+ssh": 22, "https": 443, "http": 80, "git": 9418}


class ProjectFolder(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a folder from its files.

    Attributes:
        path: The folder, absolute.
        root: The top of its tree: where ``.git`` or the mark is; the folder itself without either.
        file_id: The id of its mark.
        name: The name of its mark.
        git: The git directory that all worktrees of a repository share.
        remote: Of the repository, ``host/path``, without credentials.
        clone: A digest of the oldest line of the repository's log: it moves along with it.
    """

    path: str
    root: str
    file_id: str | None = None
    name: str | None = None
    git: str | None = None
    remote: str | None = None
    clone: str | None = None


def inspect_folder(path: str) -> ProjectFolder:
    """Return the facts known about a folder; only its path if it does not exist."""
    check_text(path, "path or name")
    if not os.path.isabs(path) or "\0" in path or not os.path.isdir(path):
        return ProjectFolder(path=path, root=path)
    folder = Path(os.path.realpath(path))
    mark: tuple[Path, dict[str, str]] | None = None
    for each in (folder, *folder.parents[:_DEPTH]):
        facts = _mark(each) if mark is None else None
        if facts:
            mark = (each, facts)
        if os.path.lexists(each / ".git"):
            return _in_tree(path, each, mark)
    return _outside(path, folder, mark)


def _in_tree(path: str, root: Path, mark: tuple[Path, dict[str, str]] | None) -> ProjectFolder:
    git = git_directory(root)
    if git is None:
        return _outside(path, root, mark)
    top, facts = mark or (root, {})
    return ProjectFolder(
        path=path,
        root=str(top),
        # Below a repository a mark makes a project of its own.
        git=str(git) if top == root else None,
        remote=_remote(git) if top == root else None,
        clone=_clone(git) if top == root else None,
        **facts,
    )


def _outside(path: str, root: Path, mark: tuple[Path, dict[str, str]] | None) -> ProjectFolder:
    top, facts = mark or (root, {})
    return ProjectFolder(path=path, root=str(top), **facts)


def git_directory(root: Path) -> Path | None:
    """Return the git directory that the worktrees of a repository share, or None.

    A ``.git`` file is believed where the directory that it names has this tree for a worktree or
    submodule: anybody can write a file that names the repository of another project.
    """
    entry = root / ".git"
    try:
        is_folder = stat.S_ISDIR(os.lstat(entry).st_mode)
    except OSError:
        return None
    if is_folder:
        return entry if _is_file(entry / "HEAD") else None
    pointer = _first_line(root, ".git")
    if not pointer.startswith("gitdir:"):
        return None
    git = _joined(root, pointer.removeprefix("gitdir:").strip())
    if git is None or not _is_file(git / "HEAD"):
        return None
    back = _joined(git, _first_line(git, "gitdir"))
    if back is not None:
        common = _joined(git, _first_line(git, "commondir"))
        is_worktree = common == git.parent.parent and git.parent.name == "worktrees"
        is_ours = is_worktree and _is_same(back, entry)
        return Path(os.path.realpath(git.parent.parent)) if is_ours else None
    tree = _joined(git, _entries(git).get("core..worktree", ""))
    return git if tree is not None and _is_same(tree, root) else None


def normal_remote(url: str) -> str | None:
    """Return ``host/path`` of a remote, alike for all its spellings; None for a path on this disk.

    >>> normal_remote("https://ann:secret@GitHub.com/acme/shop.git/")
    'github.com/acme/shop'
    >>> normal_remote("git@github.com:acme/shop.git")
    'github.com/acme/shop'
    """
    url = url.strip()
    if "://" in url:
        try:
            parts = urlsplit(url)
            host, port, path = parts.hostname, parts.port, parts.path
        except ValueError:
            return None
        if port is not None and port != _USUAL_PORTS.get(parts.scheme):
            host = f"{host}:{port}"
    else:
        match = _SCP.fullmatch(url)
        if match is None:
            return None
        host, path = match[1].strip("[]").lower(), match[2].partition("?")[0]
    path = re.sub(r"/+", "/", path).strip("/").removesuffix(".git").rstrip("/")
    return f"{host}/{path}" if host and path else None


def printable(name: str) -> str:
    """Return a name on one line, without characters that control a terminal."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


def _mark(folder: Path) -> dict[str, str]:
    """Return the fields of `ProjectFolder` that a folder's mark sets; empty without a mark."""
    if not os.path.lexists(folder / MARK_FILE):
        return {}
    facts: dict[str, str] = {}
    for line in _read(folder, MARK_FILE).splitlines():
        match = _MARK_LINE.fullmatch(line)
        if match and match[1] == "name":
            name = printable(match[2][:200])
            # A query for a path means the folder there, not a project with that name.
            if name and not os.path.isabs(name):
                facts.setdefault("name", name)
        elif match and _FILE_ID.fullmatch(match[2]):
            facts.setdefault("file_id", match[2])
    return facts


def _remote(git: Path) -> str | None:
    entries = _entries(git)
    urls = {key: url for key, url in entries.items() if key.startswith("remote.")}
    first = urls.get("remote.origin.url") or next(
        (url for key, url in sorted(urls.items()) if key.endswith(".url")), ""
    )
    return normal_remote(first)


def _clone(git: Path) -> str | None:
    line = _first_line(git, "logs/HEAD")
    return hashlib.sha256(line.encode()).hexdigest()[:32] if line else None


def _entries(git: Path) -> dict[str, str]:
    """Return the entries of a configuration as ``section.subsection.key``, the first of each."""
    section, entries = "", dict[str, str]()
    for line in _read(git, "config").splitlines():
        heading = _SECTION.match(line)
        if heading:
            section = f"{heading[1].lower()}.{heading[2] or ''}"
            line = line[heading.end() :]
        entry = _ENTRY.fullmatch(line)
        if entry:
            value = entry[2].strip().strip('"')
            entries.setdefault(f"{section}.{entry[1].lower()}", value)
    return entries


def _joined(folder: Path, relative: str) -> Path | None:
    return Path(os.path.normpath(folder / relative)) if relative and "\0" not in relative else None


def _is_same(one: Path, other: Path) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except OSError:
        return False


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _first_line(folder: Path, name: str) -> str:
    return _read(folder, name).partition("\n")[0].strip()


def _read(folder: Path, name: str) -> str:
    """Return the beginning of a file of this user or of root; empty where there is none."""
    try:
        with (
            open_beneath(folder, name) as descriptor,
            open(descriptor, "rb", closefd=False) as file,
        ):
            if os.fstat(descriptor).st_uid not in {os.geteuid(), 0}:
                return ""
            return file.read(MAX_BYTES).decode("utf-8", "replace")
    except (RecollectError, OSError):
        return ""
