-- A vector is found by the text of a chunk that has it. The cache keeps only those that no chunk has.
CREATE INDEX chunks_by_text ON chunks (substr(hash, 1, 6));
DELETE FROM embedding_cache WHERE EXISTS (
    SELECT 1 FROM chunks c CROSS JOIN vectors v ON v.id = c.id
    WHERE substr(c.hash, 1, 6) = substr(embedding_cache.hash, 1, 6)
        AND c.hash = embedding_cache.hash
        AND c.id >> 40 IN (
            SELECT p.id FROM partitions p JOIN generations g ON g.id = p.generation
            WHERE g.status <> 'retired' AND json_extract(g.identity, '$.embedder') = (
                SELECT s.provider_key FROM embedding_spaces s WHERE s.id = embedding_cache.space)));
