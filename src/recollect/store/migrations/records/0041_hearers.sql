-- A key of who hears a fact: it narrows the look-up of the same words and of older values, which
-- would read those of everybody. Facts of before have none and are always looked at.
ALTER TABLE facts ADD COLUMN hearer TEXT NOT NULL DEFAULT '';
DROP INDEX facts_by_words;
DROP INDEX facts_by_slot;
CREATE INDEX facts_by_words ON facts (tenant, words, hearer);
CREATE INDEX facts_by_slot ON facts (tenant, slot, hearer) WHERE slot IS NOT NULL;
-- Few facts are given by hand: those of messages are ordered among them.
CREATE INDEX facts_by_hand ON facts (tenant, slot) WHERE made_by = 'hand' AND slot IS NOT NULL;
