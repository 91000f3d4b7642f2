"""The catalogue: finding sessions by id, title, key, project, status and time."""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

from recollect.sessions.filters import session_filter
from recollect.sessions.lineage import Branch, family
from recollect.sessions.naming import named_session
from recollect.sessions.serving import Serving
from recollect.sessions.session import Session, require_session, select_sessions
from recollect.sessions.transcripts import check_limit

# Inside the class `list` is the method.
SessionList: TypeAlias = list[Session]


class Catalogue(Serving):
    """Finds the sessions of a scope."""

    def get(self, session_id: str) -> Session:
        """Return a session.

        Raises:
            NotFound: there is none with this id in the scope.
        """
        return self._database.read(lambda tx: require_session(tx, self.scope, session_id))

    def find(self, id_or_title: str) -> Session:
        """Return the session that an id, the end of one, a title or a session key means.

        Raises:
            NotFound: nothing is called so; the hint has near names.
            Conflict: several sessions are; the hint has their ids.
        """
        return self._database.read(lambda tx: named_session(tx, self.scope, id_or_title))

    def latest(self, project: str | None = None, *, automatic: bool = False) -> Session | None:
        """Return the active session that was used last, in one project or anywhere.

        Args:
            project: Only in this project.
            automatic: Also those of jobs, hooks and sub-agents.
        """
        found = self.list(project=project, status="active", automatic=automatic, limit=1)
        return found[0] if found else None

    def list(
        self,
        *,
        project: str | None = None,
        key: str | None = None,
        status: str | None = None,
        agent: str | None = None,
        channel: str | None = None,
        title: str | None = None,
        since: int | datetime | None = None,
        until: int | datetime | None = None,
        automatic: bool = True,
        limit: int | None = None,
    ) -> SessionList:
        """Return the sessions that meet all the filters given, the last used first.

        Args:
            project: Of this project.
            key: Of this session key.
            status: With this status; without one all but the deleted.
            agent: Of this agent.
            channel: From this channel.
            title: With this text in the title, whatever its case.
            since: Used at this time or later, ms UTC or datetime.
            until: Used before this time.
            automatic: Also those of jobs, hooks and sub-agents.
            limit: How many at most.

        Raises:
            InvalidInput: an unknown status, a key that cannot be one, or a limit below 0.
        """
        where = session_filter(
            self.scope,
            equal={"project": project, "agent": agent, "channel": channel},
            key=key,
            status=status,
            title=title,
            used=(since, until),
            automatic=automatic,
        )
        checked = check_limit(limit)
        return self._database.read(lambda tx: select_sessions(tx, where, checked))

    def lineage(self, session_id: str) -> Branch:
        """Return the tree of forks and resets that a session belongs to.

        Raises:
            NotFound: there is no such session in the scope.
        """
        return self._database.read(
            lambda tx: family(tx, self.scope, require_session(tx, self.scope, session_id))
        )
