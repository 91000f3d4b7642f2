-- One owner's agents share what they remember from now on; in a home that has any they stay apart
-- until the owner decides.
INSERT INTO meta (key, value)
SELECT 'apart', 'true'
WHERE EXISTS (SELECT 1 FROM sessions) OR EXISTS (SELECT 1 FROM facts);
