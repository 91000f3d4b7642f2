-- One name for one thing: who hears of what was said in a group of chunks.
ALTER TABLE chunk_groups RENAME COLUMN circle TO visibility_group;
