-- Sentences that may give or change a value, by the words that they share with others. Words,
-- audiences and speakers are keyed hashes, as in "stated".
CREATE TABLE value_sentences (
    id         INTEGER PRIMARY KEY,
    tenant     TEXT NOT NULL,
    -- May be gone until what it says is read again.
    message_id TEXT NOT NULL,
    first_char INTEGER NOT NULL,
    end_char   INTEGER NOT NULL,
    -- When and where it was said, as the message has it.
    said_at    INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    -- As the links of identities were; changed with them.
    audience   INTEGER NOT NULL,
    speaker    INTEGER NOT NULL,
    -- How many words it has; how much it is like the statement of a value, and of a change.
    size       INTEGER NOT NULL,
    standing   INTEGER NOT NULL,
    turning    INTEGER NOT NULL,
    -- The version of the rules that found it.
    rules      INTEGER NOT NULL
) STRICT;
CREATE INDEX value_sentences_by_message ON value_sentences (message_id);
CREATE INDEX value_sentences_by_session ON value_sentences (session_id);

CREATE TABLE value_sentence_words (
    word       INTEGER NOT NULL,
    audience   INTEGER NOT NULL,
    -- Whether it may tell a change: few do, and only they are sought for most sentences.
    is_turning INTEGER NOT NULL CHECK (is_turning IN (0, 1)),
    sentence_id INTEGER NOT NULL REFERENCES value_sentences (id) ON DELETE CASCADE,
    is_name    INTEGER NOT NULL CHECK (is_name IN (0, 1)),
    PRIMARY KEY (word, audience, is_turning, sentence_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX value_sentence_words_by_sentence ON value_sentence_words (sentence_id);

-- A rule more: "alike".
CREATE TABLE replacements_with_alike (
    tenant      TEXT NOT NULL,
    older_id    TEXT NOT NULL,
    older_first INTEGER NOT NULL,
    older_end   INTEGER NOT NULL,
    older_at    INTEGER NOT NULL,
    newer_id    TEXT NOT NULL,
    newer_first INTEGER NOT NULL,
    newer_end   INTEGER NOT NULL,
    newer_at    INTEGER NOT NULL,
    rule        TEXT NOT NULL CHECK (
        rule IN ('slot', 'open', 'loss', 'ending', 'echo', 'alike', 'hand', 'undone')
    ),
    is_ending   INTEGER NOT NULL CHECK (is_ending IN (0, 1)),
    -- Only possible: nothing is replaced by it.
    is_flagged  INTEGER NOT NULL CHECK (is_flagged IN (0, 1)),
    version     INTEGER NOT NULL,
    PRIMARY KEY (older_id, older_first, newer_id, newer_first, rule)
) STRICT, WITHOUT ROWID;
INSERT INTO replacements_with_alike SELECT * FROM replacements;
DROP TABLE replacements;
ALTER TABLE replacements_with_alike RENAME TO replacements;
CREATE INDEX replacements_by_newer ON replacements (newer_id);
CREATE INDEX replacements_by_time ON replacements (tenant, older_at);
CREATE INDEX replacements_by_newer_time ON replacements (tenant, newer_at);
