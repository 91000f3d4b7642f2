-- Where an episode was said, as JSON, and whose turns it is of. Those of before may mix what several
-- people said in one session: they have neither, and are the owner's alone.
ALTER TABLE episodes ADD COLUMN speakers TEXT CHECK (json_valid(speakers));
ALTER TABLE episodes ADD COLUMN turn_sender TEXT;
