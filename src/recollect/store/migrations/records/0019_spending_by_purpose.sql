-- What a language model was asked for is counted apart: each purpose has its own budget.
CREATE TABLE spending_by_purpose (
    day                TEXT NOT NULL,
    kind               TEXT NOT NULL,
    purpose            TEXT NOT NULL,
    model              TEXT NOT NULL,
    requests           INTEGER NOT NULL CHECK (requests >= 0),
    input_tokens       INTEGER NOT NULL CHECK (input_tokens >= 0),
    output_tokens      INTEGER NOT NULL CHECK (output_tokens >= 0),
    cache_read_tokens  INTEGER NOT NULL CHECK (cache_read_tokens >= 0),
    cache_write_tokens INTEGER NOT NULL CHECK (cache_write_tokens >= 0),
    -- Billionths of a dollar, of the requests whose price is known; and how many others there were.
    nano_usd           INTEGER NOT NULL CHECK (nano_usd >= 0),
    unpriced           INTEGER NOT NULL CHECK (unpriced >= 0),
    PRIMARY KEY (day, kind, purpose, model)
) STRICT, WITHOUT ROWID;
INSERT INTO spending_by_purpose
SELECT day, kind, '', model, requests, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, nano_usd, unpriced
FROM spending;
DROP TABLE spending;
ALTER TABLE spending_by_purpose RENAME TO spending;
