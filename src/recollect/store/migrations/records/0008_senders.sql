-- Who said a message, as channel:id or channel:network:id, and who said what it answers: in a session
-- that several people share, that person hears it. NULL: not known. Not in the hash of older rows.
ALTER TABLE messages ADD COLUMN sender TEXT;
ALTER TABLE messages ADD COLUMN turn_sender TEXT;
CREATE INDEX messages_by_turn_sender ON messages (session_id, turn_sender)
    WHERE turn_sender IS NOT NULL;
