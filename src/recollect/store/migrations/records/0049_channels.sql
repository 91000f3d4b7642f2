-- Who writes over channels. Of a sender who was not allowed a count is kept, and no text.
CREATE TABLE channel_senders (
    tenant   TEXT NOT NULL,
    -- telegram:77; of a group its own id.
    account  TEXT NOT NULL,
    status   TEXT NOT NULL CHECK (status IN ('unknown', 'allowed', 'denied')),
    -- Messages that were not taken.
    refused  INTEGER NOT NULL DEFAULT 0,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_senders_by_age ON channel_senders (tenant, status, last_at);

-- Messages of channels, and what became of their answers.
CREATE TABLE deliveries (
    id       INTEGER PRIMARY KEY,
    tenant   TEXT NOT NULL,
    channel  TEXT NOT NULL,
    -- The conversation, and the message in it.
    key      TEXT NOT NULL,
    event_id TEXT NOT NULL,
    -- Where the answer goes, in the channel's own words: JSON.
    address  TEXT NOT NULL CHECK (json_valid(address)),
    -- sending: committed before the send; after a kill it may have arrived.
    state    TEXT NOT NULL CHECK (state IN ('received', 'sending', 'sent', 'unknown', 'failed')),
    -- Of a failure.
    code     TEXT,
    at       INTEGER NOT NULL,
    UNIQUE (tenant, key, event_id)
) STRICT;
CREATE INDEX deliveries_by_state ON deliveries (tenant, channel, state, id);
