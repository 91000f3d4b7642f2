-- The cache of vectors gets its key of four: provider, model, provider key, and the hash of the text.
-- The first three are a space of vectors, so that a row of the cache holds one number for them.
-- Rows without a space are from a time when the local model was the only one.
ALTER TABLE embedding_cache RENAME TO embedding_cache_before;

CREATE TABLE embedding_spaces (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    provider     TEXT NOT NULL,
    model        TEXT NOT NULL,
    provider_key TEXT NOT NULL,
    UNIQUE (provider, model, provider_key)
) STRICT;

-- `updated_at` is ms UTC of the last use, to within a day; the oldest rows go first. Rows are added
-- in the order of their making, so that a batch writes few pages; only the indexes are in disorder.
CREATE TABLE embedding_cache (
    id         INTEGER PRIMARY KEY,
    hash       BLOB NOT NULL,
    space      INTEGER NOT NULL REFERENCES embedding_spaces (id),
    updated_at INTEGER NOT NULL,
    data       BLOB NOT NULL,
    UNIQUE (hash, space)
) STRICT;
CREATE INDEX embedding_cache_by_use ON embedding_cache (updated_at);

INSERT INTO embedding_spaces (provider, model, provider_key)
    SELECT DISTINCT 'local', 'all-MiniLM-L6-v2', fingerprint FROM embedding_cache_before;
INSERT INTO embedding_cache (hash, space, updated_at, data)
    SELECT b.hash, s.id, 0, b.data FROM embedding_cache_before b
    JOIN embedding_spaces s ON s.provider_key = b.fingerprint;
DROP TABLE embedding_cache_before;

-- Chunks whose text the provider will never accept, with the code of its error: they wait no longer.
CREATE TABLE vector_refused (
    id   INTEGER PRIMARY KEY,
    code TEXT NOT NULL
) STRICT;

-- Postings have had no checksums so far and cannot be read any more: a new generation is begun. It
-- reads everything anew, and its vectors come from the cache.
UPDATE generations SET status = 'retired';
