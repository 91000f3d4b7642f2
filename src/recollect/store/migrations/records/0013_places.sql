-- Where an imported session came from: a digest of its program's folder. NULL: not known yet.
ALTER TABLE sessions ADD COLUMN place TEXT;
