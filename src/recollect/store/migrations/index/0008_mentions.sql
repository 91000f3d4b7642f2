-- Lines of memory files that name an observation by its number, such as #1234.
CREATE TABLE mentions (
    partition_id INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    document     INTEGER NOT NULL,
    line         INTEGER NOT NULL,
    PRIMARY KEY (partition_id, number, document, line)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_document ON mentions (document, line);
-- Files that are indexed already are read again by the next scan; their vectors are kept.
UPDATE documents SET stamp = NULL, hash = x'' WHERE source = 'memory';
