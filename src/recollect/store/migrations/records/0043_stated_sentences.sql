-- How much likelier it is that a sentence states anything than that it asks or orders, as a logarithm
-- in hundredths.
ALTER TABLE value_sentences ADD COLUMN stated INTEGER NOT NULL DEFAULT 0;
