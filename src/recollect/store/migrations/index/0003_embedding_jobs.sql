-- Batches of texts that a provider embeds in its own time. A row is written before the provider hears
-- of the batch and goes when its vectors are stored, so that a killed process leaves a trace of
-- everything that may have been paid for. `name` is what the provider's own record of the batch
-- carries: by it a batch is found whose number never arrived. `since` is when the state began and
-- `asked_at` when the provider was asked last, both ms UTC.
CREATE TABLE embedding_jobs (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,
    provider    TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('uploading', 'creating', 'submitted', 'cancelling')),
    attempt     INTEGER NOT NULL,
    file        TEXT,
    batch       TEXT,
    since       INTEGER NOT NULL,
    asked_at    INTEGER NOT NULL
) STRICT;

-- Hashes of the texts that are under way: nobody else sends them meanwhile.
CREATE TABLE embedding_job_texts (
    hash BLOB NOT NULL,
    job  INTEGER NOT NULL REFERENCES embedding_jobs (id),
    PRIMARY KEY (hash, job)
) STRICT, WITHOUT ROWID;
CREATE INDEX embedding_job_texts_by_job ON embedding_job_texts (job);
