-- Tokens that paid providers were sent, by day (UTC, such as 2026-02-10): what the daily limit counts.
-- Not derived: who deletes index.db does not get a second budget.
CREATE TABLE usage (
    day      TEXT NOT NULL,
    provider TEXT NOT NULL,
    model    TEXT NOT NULL,
    kind     TEXT NOT NULL,
    tokens   INTEGER NOT NULL CHECK (tokens >= 0),
    PRIMARY KEY (day, provider, model, kind)
) STRICT, WITHOUT ROWID;
