-- Lines of other programs that were erased, titles and calls of tools too: each is a keyed hash of
-- its id there, so that copies of them in other transcripts do not bring them back.
CREATE TABLE erased_lines (
    number INTEGER PRIMARY KEY
) STRICT;
