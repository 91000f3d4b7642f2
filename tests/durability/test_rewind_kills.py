"""A rewind that is killed before any call to the system: the next start puts the tree back."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recollect.checkpoints.rewind import rewinds
from tests.durability.scale import SCALE, SEED, report
from tests.unit.checkpoints.conftest import Project, opened_project, reopened_project

CALLS = ("replace", "mkdir", "rmdir", "unlink", "fchmod", "symlink", "open", "fsync", "close")
STRIDE = max(1, SCALE.fault_stride // 2)


class Killer:
    """Kills the process before its n-th call to the system, or commit."""

    def __init__(self, nth: int) -> None:
        self._left = nth

    def arm(self) -> None:
        """Count from now on, also inside of the two transactions; the child ends with it."""
        for module, names in ((os, CALLS), (rewinds, ("add_rewind", "end_rewind"))):
            for name in names:
                setattr(module, name, self._counted(getattr(module, name)))

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **kwargs)

        return counted


def _is_killed(folder: Path, session: str, nth: int, act: Callable[[Project], object]) -> bool:
    """Let a child act, and kill it before its n-th call; return whether it came so far."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with reopened_project(folder, session) as project:
                Killer(nth).arm()
                act(project)
                code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0
    return False


def _change(root: Path) -> None:
    """Change all that a command can change."""
    (root / "edited.txt").write_text("after")
    (root / "gone.txt").unlink()
    (root / "made" / "deep").mkdir(parents=True)
    (root / "made" / "deep" / "new.txt").write_text("new")
    (root / "run.sh").chmod(0o755)
    (root / "link").unlink()
    (root / "link").write_text("a file")
    shutil.rmtree(root / "folder")
    (root / "folder").symlink_to("made")
    (root / "empty").chmod(0o711)


class Trials:
    """A project that a command changed; each trial begins with a copy of it in the same place.

    Args:
        folder: Of the project and its home.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._copy = folder / "live", folder / "copy"
        self._folder.mkdir()
        with opened_project(self._folder) as project:
            root = project.root
            for name in ("folder", "empty"):
                (root / name).mkdir()
            for name in ("edited.txt", "gone.txt", "run.sh", "folder/in.txt"):
                (root / name).write_text(name)
            (root / "link").symlink_to("edited.txt")
            self.target = project.snapshot()
            with project.checkpoints.around(project.session, root, tool_name="Bash") as taken:
                _change(root)
            self.before = project.snapshot()
            self._session, self._taken = project.session, taken.id
        shutil.copytree(self._folder, self._copy, symlinks=True)

    def rewind(self, project: Project) -> object:
        """Go back to before the command."""
        return project.checkpoints.rewind(self._taken)

    def is_killed(self, nth: int, act: Callable[[Project], object]) -> bool:
        """Let a child act and be killed."""
        return _is_killed(self._folder, self._session, nth, act)

    def killed(self, stride: int) -> Iterator[int]:
        """Kill a rewind at one call after the other; yield which, until it comes to its end."""
        nth = 1 + SEED % stride
        while self.is_killed(nth, self.rewind):
            yield nth
            shutil.rmtree(self._folder)
            shutil.copytree(self._copy, self._folder, symlinks=True)
            nth += stride

    @contextmanager
    def restarted(self) -> Iterator[Project]:
        """Open the project as the next process does."""
        with reopened_project(self._folder, self._session) as project:
            project.checkpoints.recover_all()
            yield project


def test_a_killed_rewind_is_put_back_or_was_done(tmp_path: Path) -> None:
    """Nothing in between is left, also where recovery is killed; the next rewind does the whole."""
    trials = Trials(tmp_path)
    kills = done = 0
    for nth in trials.killed(STRIDE):
        trials.is_killed(1 + nth % 40, lambda project: project.checkpoints.recover_all())
        with trials.restarted() as project:
            assert project.checkpoints.interrupted() == ()
            is_done = project.snapshot() == trials.target
            assert is_done or project.snapshot() == trials.before
            trials.rewind(project)
            assert project.snapshot() == trials.target
        kills += 1
        done += is_done
    assert kills - done > 50 // STRIDE
    report("killed rewinds", kills=kills, done=done)


def test_what_was_changed_after_a_kill_is_not_touched(tmp_path: Path) -> None:
    """The path is as the user left it and is named; all others are as before."""
    trials = Trials(tmp_path)
    interrupted = 0
    for _ in trials.killed(STRIDE):
        (tmp_path / "live" / "project" / "edited.txt").write_text("user")
        with trials.restarted() as project:
            after = project.snapshot()
            assert after.pop("edited.txt")[2] == b"user"
            rest = [
                {path: state for path, state in each.items() if path != "edited.txt"}
                for each in (trials.before, trials.target)
            ]
            left = project.checkpoints.interrupted()
            assert after in (rest[:1] if left else rest)
            assert all(each.unresolved == ("edited.txt",) for each in left)
            interrupted += len(left)
    assert interrupted
