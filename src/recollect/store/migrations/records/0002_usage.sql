-- Tokens that paid providers were sent, by day (UTC, such as 2026-02-10) and by what for: the daily
-- limits count them. Not derived: who deletes index.db does not get a second budget.
CREATE TABLE usage (
    day    TEXT NOT NULL,
    kind   TEXT NOT NULL,
    tokens INTEGER NOT NULL CHECK (tokens >= 0),
    PRIMARY KEY (day, kind)
) STRICT, WITHOUT ROWID;
