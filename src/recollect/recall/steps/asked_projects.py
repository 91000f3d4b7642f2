"""The projects that a request names or leaves out: which is meant alone, and which comes first."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from recollect.observations.project_folder import inspect_folder
from recollect.observations.projects import Projects
from recollect.recall.audience import ALL_PROJECTS


class AskedProjects:
    """The projects that the requests of one caller name.

    Args:
        projects: Those of the memory, whose scope may be narrowed to one.
        folder: Where the program of the caller works, if that is known.
        is_owners: Whether the operator asks; others do not learn which projects exist.
    """

    def __init__(self, projects: Projects, folder: Path | None, *, is_owners: bool) -> None:
        self._projects = projects
        self._own = projects.scope.project
        self._folder = folder
        self._is_owners = is_owners

    def path(self, name: str) -> str:
        """Return a path of the project that a filter names; of unknown ones the name itself.

        Raises:
            NotFound: the operator names one that does not exist.
            Conflict: the operator's name means several; the hint has their paths.
        """
        projects = self._projects
        return projects.path_of(name) if self._is_owners else projects.find(name)

    def only(self, name: str | None) -> str | None:
        """Return a path of the project that is asked for alone; None: no other than the memory's.

        Raises:
            As `path`.
        """
        if name is None or name == ALL_PROJECTS:
            return None
        path, own = self.path(name), self._own
        return None if own is not None and path in self._projects.paths(own) else path

    def of_new(self, project: str | None) -> str | None:
        """Return the project of a new session: any path of the token's project means that one."""
        own = self._own
        if own is None or project is None or project == own:
            return project
        return own if self._projects.find(project) in self._projects.paths(own) else project

    def near(self, name: str | None) -> str | None:
        """Return a path of the project that is preferred: the one at hand, where none is named."""
        return self.at_hand if name is None else ALL_PROJECTS

    @cached_property
    def at_hand(self) -> str | None:
        """A path of the project of the caller's folder; None where that is in none."""
        if self._folder is None or self._own is not None:
            return None
        path = str(self._folder)
        tree = inspect_folder(path)  # a client may be started anywhere, as in /
        is_one = tree.git is not None or tree.file_id is not None
        is_one = is_one or self._projects.known(path) is not None
        return self._projects.find(path) if is_one else None
