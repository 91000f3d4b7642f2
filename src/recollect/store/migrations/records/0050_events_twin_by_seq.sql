-- The numbers of all events, on pages of their own: a subtree that is missing is noticed.
CREATE INDEX events_twin_by_seq ON events (seq);
