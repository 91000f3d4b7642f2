-- Accounts that somebody claims in a message to have, too: the owner links, or does not. A claim
-- goes with its message.
CREATE TABLE identity_proposals (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant      TEXT NOT NULL,
    message_id  TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    -- The sentence in the text of the message.
    first_char  INTEGER NOT NULL,
    end_char    INTEGER NOT NULL,
    -- Who says it; "owner" for the owner without an account.
    account     TEXT NOT NULL,
    -- The account, or a handle such as "@john" without a channel.
    claimed     TEXT NOT NULL,
    -- When the owner accepted or dismissed it.
    answered_at INTEGER,
    UNIQUE (message_id, claimed)
) STRICT;
CREATE INDEX identity_proposals_by_account ON identity_proposals (tenant, account, claimed);
