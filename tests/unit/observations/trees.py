"""Trees of git as it writes them, made by hand: git itself is not started."""

from __future__ import annotations

from pathlib import Path


def repository(root: Path, url: str | None = None, log: str = "") -> Path:
    """Make a repository with a remote and the first line of its log."""
    git = root / ".git"
    (git / "logs").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    remote = "" if url is None else f'[remote "origin"]\n\turl = {url}\n'
    (git / "config").write_text(f"[core]\n\tbare = false\n{remote}")
    if log:
        (git / "logs" / "HEAD").write_text(f"{log}\nanother line\n")
    return root


def worktree(main: Path, root: Path) -> Path:
    """Make a worktree of a repository."""
    git = main / ".git" / "worktrees" / root.name
    git.mkdir(parents=True)
    root.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/side\n")
    (git / "commondir").write_text("../..\n")
    (git / "gitdir").write_text(f"{root}/.git\n")
    (root / ".git").write_text(f"gitdir: {git}\n")
    return root
