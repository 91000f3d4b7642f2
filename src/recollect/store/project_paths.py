"""The paths of a project, as part of a query: what was stored under any of them is its own."""

from __future__ import annotations

from typing import LiteralString

PROJECT_PATHS: LiteralString = """
    SELECT b.path FROM project_aliases a
    JOIN projects p ON p.tenant = a.tenant AND p.id = a.project_id
    JOIN projects q ON q.tenant = p.tenant AND q.stands_for = p.stands_for
    JOIN project_aliases b ON b.tenant = q.tenant AND b.project_id = q.id
    WHERE a.tenant = ? AND a.path = ?
"""
"""With a tenant and any path of the project."""
OF_PROJECT: LiteralString = f"project IN (SELECT ? UNION ALL {PROJECT_PATHS})"
"""A condition on the column ``project``, with a path, the tenant, and the path again.

An unknown path means itself alone.
"""
