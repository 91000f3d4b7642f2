-- Who hears of what was said in a group: groups with the same circle. NULL: no conversation does.
ALTER TABLE chunk_groups ADD COLUMN circle TEXT;
