-- For whom a summary was made where a session has turns of several people.
ALTER TABLE compactions ADD COLUMN turn_sender TEXT;
