-- What providers took, by day (UTC, such as 2026-02-10), by what for and by model: the daily limits
-- count its tokens, the status tells its cost. Not derived: who deletes index.db gets no second
-- budget. A model is 'provider:model'; '' stands for what was counted before models were told apart.
CREATE TABLE spending (
    day                TEXT NOT NULL,
    kind               TEXT NOT NULL,
    model              TEXT NOT NULL,
    requests           INTEGER NOT NULL CHECK (requests >= 0),
    input_tokens       INTEGER NOT NULL CHECK (input_tokens >= 0),
    output_tokens      INTEGER NOT NULL CHECK (output_tokens >= 0),
    cache_read_tokens  INTEGER NOT NULL CHECK (cache_read_tokens >= 0),
    cache_write_tokens INTEGER NOT NULL CHECK (cache_write_tokens >= 0),
    -- Billionths of a dollar, of the requests whose price is known; and how many others there were.
    nano_usd           INTEGER NOT NULL CHECK (nano_usd >= 0),
    unpriced           INTEGER NOT NULL CHECK (unpriced >= 0),
    PRIMARY KEY (day, kind, model)
) STRICT, WITHOUT ROWID;

INSERT INTO spending (day, kind, model, requests, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, nano_usd, unpriced)
SELECT day, kind, '', 0, tokens, 0, 0, 0, 0, 0 FROM usage;

DROP TABLE usage;
