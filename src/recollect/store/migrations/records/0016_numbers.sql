-- Messages and episodes have short numbers, those that are there in the order in which they were
-- recorded. Not in the hash of a row: a number is handed out by the insert itself.
ALTER TABLE messages ADD COLUMN number INTEGER;
UPDATE messages SET number = counted.number FROM (
    SELECT rowid AS place, row_number() OVER (PARTITION BY tenant ORDER BY rowid) AS number
    FROM messages
) AS counted WHERE messages.rowid = counted.place;
CREATE UNIQUE INDEX messages_by_number ON messages (tenant, number);

ALTER TABLE episodes ADD COLUMN number INTEGER;
UPDATE episodes SET number = counted.number FROM (
    SELECT rowid AS place, row_number() OVER (PARTITION BY tenant ORDER BY rowid) AS number
    FROM episodes
) AS counted WHERE episodes.rowid = counted.place;
CREATE UNIQUE INDEX episodes_by_number ON episodes (tenant, number);
INSERT INTO counters (tenant, kind, last)
SELECT tenant, 'episode', max(number) FROM episodes GROUP BY tenant;
