-- Projects, and the paths under which they were seen. What was stored under a path is never
-- rewritten: it belongs to the project of its path when it is read.
CREATE TABLE projects (
    tenant      TEXT NOT NULL,
    id          TEXT NOT NULL,
    name        TEXT NOT NULL,
    -- The top of its tree where it was seen last.
    root        TEXT NOT NULL,
    remote      TEXT,
    -- A digest of the oldest line of the log of its repository.
    clone       TEXT,
    -- The project that a person joined it to, and the one that it stands for: its own id without.
    merged_into TEXT,
    stands_for  TEXT NOT NULL,
    -- Ids of projects that look like it, and that a person keeps apart.
    apart       TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(apart)),
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE project_aliases (
    tenant     TEXT NOT NULL,
    path       TEXT NOT NULL,
    project_id TEXT NOT NULL,
    -- path: sessions are stored under it. root, git: the top of a tree, and a shared git directory.
    -- person: somebody said so.
    kind       TEXT NOT NULL CHECK (kind IN ('path', 'root', 'git', 'person')),
    at         INTEGER NOT NULL,
    PRIMARY KEY (tenant, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_aliases_by_project ON project_aliases (tenant, project_id);
CREATE INDEX projects_by_meaning ON projects (tenant, stands_for);
-- When nothing was captured. What was said meanwhile and is found later is left out too.
CREATE TABLE pauses (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant     TEXT NOT NULL,
    -- NULL: of every project.
    project_id TEXT,
    since      INTEGER NOT NULL,
    until      INTEGER
) STRICT;
-- How much was left out, by why.
CREATE TABLE withheld (
    tenant TEXT NOT NULL,
    reason TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number >= 0),
    at     INTEGER NOT NULL,
    PRIMARY KEY (tenant, reason)
) STRICT, WITHOUT ROWID;
