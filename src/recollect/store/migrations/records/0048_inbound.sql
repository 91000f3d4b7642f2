-- What came in from channels to be answered, and what became of it. No text: that is in messages.
CREATE TABLE inbound (
    id         TEXT PRIMARY KEY,
    tenant     TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    -- NULL: a command, which is not in the transcript.
    message_id TEXT UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    -- The id on the channel; unique among the sessions of a key.
    event_id   TEXT NOT NULL,
    state      TEXT NOT NULL
               CHECK (state IN ('received', 'asked', 'answered', 'silent', 'joined', 'noted',
                                'heard', 'command', 'failed', 'cancelled')),
    -- Of a failure.
    code       TEXT,
    at         INTEGER NOT NULL
) STRICT;
CREATE INDEX inbound_by_event ON inbound (tenant, event_id);
CREATE INDEX inbound_by_session ON inbound (session_id);
CREATE INDEX inbound_waiting ON inbound (tenant, id) WHERE state IN ('received', 'asked');
