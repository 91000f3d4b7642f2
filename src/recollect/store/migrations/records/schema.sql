CREATE TABLE audit (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant  TEXT NOT NULL,
    agent   TEXT,
    user_id TEXT,
    project TEXT,
    -- The name of the token; NULL: whoever uses the files of the home.
    actor   TEXT,
    action  TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('done', 'refused')),
    target  TEXT,
    at      INTEGER NOT NULL
) STRICT;
CREATE TABLE changes (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    kind   TEXT NOT NULL,
    ref    TEXT NOT NULL,
    op     TEXT NOT NULL CHECK (op IN ('put', 'delete')),
    at     INTEGER NOT NULL
) STRICT;
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
CREATE TABLE checkpoint_files (
    checkpoint_id  TEXT NOT NULL REFERENCES checkpoints (id) ON DELETE CASCADE,
    path           TEXT NOT NULL,
    existed_before INTEGER NOT NULL CHECK (existed_before IN (0, 1)),
    backup_blob    TEXT,
    before         TEXT NOT NULL CHECK (json_valid(before)),
    PRIMARY KEY (checkpoint_id, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoint_writes (
    checkpoint_id TEXT NOT NULL REFERENCES checkpoints (id) ON DELETE CASCADE,
    path          TEXT NOT NULL,
    after_blob    TEXT,
    after         TEXT NOT NULL CHECK (json_valid(after)),
    at            INTEGER NOT NULL,
    PRIMARY KEY (checkpoint_id, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoints (
    id              TEXT PRIMARY KEY,
    tenant          TEXT NOT NULL,
    number          INTEGER NOT NULL,
    session_id      TEXT NOT NULL REFERENCES sessions (id),
    -- The last seq of the session, and its last message of the user, when it was taken.
    seq             INTEGER NOT NULL,
    user_message_id TEXT,
    kind            TEXT NOT NULL CHECK (kind IN ('message', 'tool', 'manual', 'rescue')),
    label           TEXT,
    -- The sub-agent that acted; NULL: the session itself.
    actor           TEXT,
    tool_name       TEXT,
    tool_use_id     TEXT,
    root            TEXT NOT NULL,
    scope_json      TEXT NOT NULL CHECK (json_valid(scope_json)),
    created_at      INTEGER NOT NULL,
    -- The sum of the hashes of all that belongs to it: its states, and the rewind that it rescues.
    seal            INTEGER NOT NULL DEFAULT 0,
    UNIQUE (tenant, number)
) STRICT;
CREATE TABLE commits (
    seq   INTEGER PRIMARY KEY,
    token BLOB NOT NULL,
    at    INTEGER NOT NULL
) STRICT;
CREATE TABLE compactions (
    id            TEXT PRIMARY KEY,
    tenant        TEXT NOT NULL,
    agent         TEXT,
    user_id       TEXT,
    project       TEXT,
    session_id    TEXT NOT NULL REFERENCES sessions (id),
    through_seq   INTEGER NOT NULL CHECK (through_seq >= 1),
    -- The newest message then: where it stands in the mirror.
    last_seq      INTEGER NOT NULL CHECK (last_seq >= through_seq),
    summary       TEXT NOT NULL,
    -- What derived it, with its version: it can be derived again.
    made_by       TEXT NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after  INTEGER NOT NULL,
    created_at    INTEGER NOT NULL, turn_sender TEXT,
    UNIQUE (session_id, through_seq)
) STRICT;
CREATE TABLE counters (
    tenant TEXT NOT NULL,
    kind   TEXT NOT NULL,
    last   INTEGER NOT NULL CHECK (last >= 1),
    PRIMARY KEY (tenant, kind)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE digests (
    name   TEXT PRIMARY KEY,
    digest INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE endings (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id),
    tenant     TEXT NOT NULL,
    at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE episodes (
    id            TEXT PRIMARY KEY,
    tenant        TEXT NOT NULL,
    agent         TEXT,
    user_id       TEXT,
    project       TEXT,
    session_id    TEXT NOT NULL,
    summary       TEXT NOT NULL,
    topics        TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(topics)),
    began_at      INTEGER NOT NULL,
    ended_at      INTEGER NOT NULL,
    message_count INTEGER NOT NULL,
    -- What derived it, with its version.
    made_by       TEXT NOT NULL,
    created_at    INTEGER NOT NULL
, speakers TEXT CHECK (json_valid(speakers)), turn_sender TEXT, number INTEGER, extent TEXT NOT NULL DEFAULT 'part'
    CHECK (extent IN ('part', 'session')), through_seq INTEGER, deeds TEXT NOT NULL DEFAULT '', decisions TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(decisions)), outcome TEXT NOT NULL DEFAULT '', open_ends TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(open_ends)), tone TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE erased_lines (
    number INTEGER PRIMARY KEY
) STRICT;
CREATE TABLE erasures (
    id          TEXT PRIMARY KEY,
    tenant      TEXT NOT NULL,
    -- How much of which kind.
    counts      TEXT NOT NULL CHECK (json_valid(counts)),
    -- The ids of sessions of which copies may be left; none once it is finished.
    session_ids TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(session_ids)),
    at          INTEGER NOT NULL,
    finished_at INTEGER
, parts TEXT CHECK (json_valid(parts))) STRICT;
CREATE TABLE events (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant     TEXT NOT NULL,
    agent      TEXT,
    user_id    TEXT,
    project    TEXT,
    session_id TEXT,
    type       TEXT NOT NULL,
    payload    TEXT NOT NULL CHECK (json_valid(payload)),
    at         INTEGER NOT NULL
, actor TEXT) STRICT;
CREATE TABLE fact_history (
    fact_id     TEXT NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    version     INTEGER NOT NULL,
    action      TEXT NOT NULL,
    at          INTEGER NOT NULL,
    -- The name of the token; NULL: whoever uses the files of the home.
    actor       TEXT,
    text        TEXT NOT NULL,
    confidence  REAL NOT NULL,
    status      TEXT NOT NULL,
    replaced_by TEXT,
    is_pinned   INTEGER NOT NULL,
    row_hash    BLOB NOT NULL,
    PRIMARY KEY (fact_id, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE fact_sources (
    message_id TEXT NOT NULL,
    start_at   INTEGER NOT NULL,
    end_at     INTEGER NOT NULL,
    made_by    TEXT NOT NULL,
    fact_id    TEXT NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    said_at    INTEGER NOT NULL,
    PRIMARY KEY (message_id, start_at, end_at, made_by)
) STRICT, WITHOUT ROWID;
CREATE TABLE facts (
    id           TEXT PRIMARY KEY,
    number       INTEGER NOT NULL,
    tenant       TEXT NOT NULL,
    agent        TEXT,
    user_id      TEXT,
    project      TEXT,
    -- The message that says it and the quoted span; NULL: it was remembered by hand.
    session_id   TEXT,
    message_id   TEXT,
    start_at     INTEGER,
    end_at       INTEGER,
    -- Who hears it, as `sessions` and `messages` have it.
    channel      TEXT,
    account      TEXT,
    chat_type    TEXT,
    peer         TEXT,
    turn_sender  TEXT,
    text         TEXT NOT NULL,
    -- A digest of its normalised words: equal for two statements that say the same.
    words        BLOB NOT NULL,
    kind         TEXT NOT NULL,
    subject      TEXT NOT NULL CHECK (subject IN ('speaker', 'other', 'project', 'nobody')),
    name         TEXT,
    slot         TEXT,
    value        TEXT,
    importance   INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
    confidence   REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    trust        TEXT NOT NULL CHECK (trust IN ('owner', 'agent', 'group', 'imported')),
    -- What found it, with its version; 'hand'.
    made_by      TEXT NOT NULL,
    -- When it was true, and when it was recorded.
    valid_from   INTEGER NOT NULL,
    valid_to     INTEGER,
    created_at   INTEGER NOT NULL,
    is_pinned    INTEGER NOT NULL DEFAULT 0 CHECK (is_pinned IN (0, 1)),
    status       TEXT NOT NULL
                 CHECK (status IN ('current', 'replaced', 'forgotten', 'archived', 'review')),
    replaced_by  TEXT,
    -- How many rows of `fact_history` it has.
    version      INTEGER NOT NULL CHECK (version >= 1),
    row_hash     BLOB NOT NULL,
    -- Not in the hash.
    accessed_at  INTEGER NOT NULL,
    access_count INTEGER NOT NULL DEFAULT 0, hearer TEXT NOT NULL DEFAULT '',
    UNIQUE (tenant, number)
) STRICT;
CREATE TABLE flushed_notes (
    path       TEXT NOT NULL,
    line_hash  BLOB NOT NULL,
    session_id TEXT NOT NULL,
    tenant     TEXT NOT NULL,
    is_hidden  INTEGER NOT NULL DEFAULT 0 CHECK (is_hidden IN (0, 1)),
    at         INTEGER NOT NULL,
    PRIMARY KEY (path, line_hash, session_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE identities (
    tenant    TEXT NOT NULL,
    account   TEXT NOT NULL,
    user_id   TEXT NOT NULL,
    was       TEXT,
    linked_at INTEGER NOT NULL,
    made_by   TEXT NOT NULL,
    hash      BLOB NOT NULL,
    PRIMARY KEY (tenant, account)
) STRICT, WITHOUT ROWID;
CREATE TABLE identity_codes (
    tenant     TEXT NOT NULL,
    account    TEXT NOT NULL,
    hash       BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    tries      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, account)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE imports (
    tenant     TEXT NOT NULL,
    source     TEXT NOT NULL,
    path       TEXT NOT NULL,
    session_id TEXT REFERENCES sessions (id),
    size       INTEGER NOT NULL,
    mtime_ns   INTEGER NOT NULL,
    -- Complete lines read so far: where the next import goes on.
    read_bytes INTEGER NOT NULL,
    lines      INTEGER NOT NULL,
    messages   INTEGER NOT NULL,
    malformed  INTEGER NOT NULL,
    digest     BLOB NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (tenant, source, path)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE "injected_items" (
    injection_id TEXT NOT NULL REFERENCES injections (id) ON DELETE CASCADE,
    place        INTEGER NOT NULL,
    kind         TEXT NOT NULL
                 CHECK (kind IN ('observation', 'episode', 'message', 'file', 'fact', 'state')),
    ref          TEXT NOT NULL,
    number       INTEGER,
    section      TEXT NOT NULL,
    tokens       INTEGER NOT NULL,
    -- The parts of its score.
    why          TEXT NOT NULL CHECK (json_valid(why)),
    PRIMARY KEY (injection_id, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE injections (
    id               TEXT PRIMARY KEY,
    tenant           TEXT NOT NULL,
    agent            TEXT,
    user_id          TEXT,
    project          TEXT,
    session_id       TEXT NOT NULL REFERENCES sessions (id),
    -- Who read it: the audience of the prompt.
    visibility_group TEXT NOT NULL,
    reason           TEXT NOT NULL
                     CHECK (reason IN ('startup', 'clear', 'compact', 'resume', 'fork', 'prompt')),
    client           TEXT,
    -- A keyed hash of the question, never its words.
    query_digest     TEXT,
    tokens           INTEGER NOT NULL,
    chars            INTEGER NOT NULL,
    dropped          INTEGER NOT NULL,
    at               INTEGER NOT NULL
, budget INTEGER) STRICT;
CREATE TABLE leases (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id),
    holder     TEXT NOT NULL,
    fence      INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
, is_exclusive INTEGER NOT NULL DEFAULT 0
    CHECK (is_exclusive IN (0, 1))) STRICT, WITHOUT ROWID;
CREATE TABLE losses (
    stated_id INTEGER NOT NULL REFERENCES stated (id) ON DELETE CASCADE,
    value     INTEGER NOT NULL,
    PRIMARY KEY (stated_id, value)
) STRICT, WITHOUT ROWID;
CREATE TABLE "messages" (
    id             TEXT PRIMARY KEY,
    tenant         TEXT NOT NULL,
    agent          TEXT,
    user_id        TEXT,
    project        TEXT,
    session_id     TEXT NOT NULL REFERENCES sessions (id),
    seq            INTEGER NOT NULL CHECK (seq >= 1),
    role           TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
    name           TEXT,
    -- Text or content blocks as given; `text` is what of it can be read and searched.
    content        TEXT NOT NULL CHECK (json_valid(content)),
    text           TEXT NOT NULL,
    token_estimate INTEGER,
    -- When it was said, and when it was stored.
    created_at     INTEGER NOT NULL,
    recorded_at    INTEGER NOT NULL,
    metadata       TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata)),
    -- Given by the client: the same id twice is one row of a conversation.
    event_id       TEXT,
    foreign_id     TEXT,
    row_hash       BLOB NOT NULL, sender TEXT, turn_sender TEXT, number INTEGER,
    UNIQUE (session_id, seq)
) STRICT;
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE never_injected (
    -- The id of a record; of lines of a memory file, path and numbers; of a state its session.
    ref    TEXT NOT NULL,
    tenant TEXT NOT NULL,
    kind   TEXT NOT NULL
           CHECK (kind IN ('observation', 'episode', 'message', 'file', 'fact', 'state')),
    number INTEGER,
    at     INTEGER NOT NULL,
    PRIMARY KEY (ref, tenant)
) STRICT, WITHOUT ROWID;
CREATE TABLE note_folders (
    folder    TEXT PRIMARY KEY,
    tenant    TEXT NOT NULL,
    agent     TEXT,
    user_id   TEXT,
    channel   TEXT,
    account   TEXT,
    chat_type TEXT,
    peer      TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE observations (
    id           TEXT PRIMARY KEY,
    number       INTEGER NOT NULL,
    tenant       TEXT NOT NULL,
    agent        TEXT,
    user_id      TEXT,
    project      TEXT,
    session_id   TEXT NOT NULL REFERENCES sessions (id),
    -- In whose turn it happened, as `messages` have it.
    turn_sender  TEXT,
    type         TEXT NOT NULL,
    tool_name    TEXT,
    title        TEXT NOT NULL,
    summary      TEXT NOT NULL,
    input        TEXT NOT NULL,
    output       TEXT NOT NULL,
    input_blob   TEXT,
    output_blob  TEXT,
    tokens       INTEGER NOT NULL,
    importance   REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    trust        TEXT NOT NULL
                 CHECK (trust IN ('owner', 'agent', 'tool', 'web', 'group', 'imported')),
    files        TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(files)),
    error        TEXT,
    message_id   TEXT,
    tool_use_id  TEXT,
    agent_id     TEXT,
    event        TEXT NOT NULL,
    event_id     TEXT,
    -- The rules that gave what the caller did not, with their version.
    made_by      TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    is_forgotten INTEGER NOT NULL DEFAULT 0 CHECK (is_forgotten IN (0, 1)),
    row_hash     BLOB NOT NULL,
    UNIQUE (tenant, number)
) STRICT;
CREATE TABLE pauses (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant     TEXT NOT NULL,
    -- NULL: of every project.
    project_id TEXT,
    since      INTEGER NOT NULL,
    until      INTEGER
) STRICT;
CREATE TABLE pending_messages (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant     TEXT NOT NULL,
    key        TEXT NOT NULL,
    sender     TEXT NOT NULL,
    text       TEXT NOT NULL,
    message_id TEXT,
    at         INTEGER NOT NULL
, agent TEXT, user_id TEXT, project TEXT) STRICT;
CREATE TABLE project_aliases (
    tenant     TEXT NOT NULL,
    path       TEXT NOT NULL,
    project_id TEXT NOT NULL,
    -- path: sessions are stored under it. root, git: the top of a tree, and a shared git directory.
    -- person: somebody said so.
    kind       TEXT NOT NULL CHECK (kind IN ('path', 'root', 'git', 'person')),
    at         INTEGER NOT NULL,
    PRIMARY KEY (tenant, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE projects (
    tenant      TEXT NOT NULL,
    id          TEXT NOT NULL,
    name        TEXT NOT NULL,
    -- The top of its tree where it was seen last.
    root        TEXT NOT NULL,
    remote      TEXT,
    -- A digest of the oldest line of the log of its repository.
    clone       TEXT,
    -- The project that a person joined it to, and the one that it stands for: its own id without.
    merged_into TEXT,
    stands_for  TEXT NOT NULL,
    -- Ids of projects that look like it, and that a person keeps apart.
    apart       TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(apart)),
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE prunings (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id),
    -- 1: the session goes with its messages, unless somebody wrote to it meanwhile.
    is_whole   INTEGER NOT NULL CHECK (is_whole IN (0, 1)),
    at         INTEGER NOT NULL
, erasure_id TEXT REFERENCES erasures (id)) STRICT, WITHOUT ROWID;
CREATE TABLE recognised_secrets (
    number     INTEGER PRIMARY KEY,
    -- Its id; or its program and the id it has there, where a hook was first.
    session_id TEXT NOT NULL,
    -- Hash, length, whether it has spaces, kind.
    line       TEXT NOT NULL,
    UNIQUE (session_id, line)
) STRICT;
CREATE TABLE removed_seqs (
    session_id TEXT NOT NULL REFERENCES sessions (id),
    first      INTEGER NOT NULL CHECK (first >= 1),
    last       INTEGER NOT NULL CHECK (last >= first),
    PRIMARY KEY (session_id, last)
) STRICT, WITHOUT ROWID;
CREATE TABLE "replacements" (
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
CREATE TABLE rewinds (
    id          TEXT PRIMARY KEY,
    tenant      TEXT NOT NULL,
    session_id  TEXT NOT NULL REFERENCES sessions (id),
    root        TEXT NOT NULL,
    type        TEXT NOT NULL CHECK (type IN ('rewind', 'undo', 'redo')),
    -- The checkpoint that was gone back to; the rewind that an undo or redo is of.
    target_id   TEXT NOT NULL,
    rescue_id   TEXT NOT NULL REFERENCES checkpoints (id),
    status      TEXT NOT NULL CHECK (status IN ('applying', 'done', 'rolled_back', 'interrupted')),
    changes     TEXT NOT NULL CHECK (json_valid(changes)),
    created_at  INTEGER NOT NULL,
    finished_at INTEGER,
    -- The messages that leave the conversation with it, or return to it.
    first_seq   INTEGER,
    last_seq    INTEGER,
    CHECK ((first_seq IS NULL) = (last_seq IS NULL))
) STRICT;
CREATE TABLE schema_steps (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;
CREATE TABLE session_states (
    id          INTEGER PRIMARY KEY,
    session_id  TEXT NOT NULL,
    tenant      TEXT NOT NULL,
    turn_sender TEXT,
    task        TEXT NOT NULL,
    steps       TEXT NOT NULL CHECK (json_valid(steps)),
    -- Whose words: the tool that was called, or the caller.
    source      TEXT NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;
CREATE TABLE sessions (
    id                     TEXT PRIMARY KEY,
    tenant                 TEXT NOT NULL,
    agent                  TEXT,
    user_id                TEXT,
    project                TEXT,
    -- The normalised session key, and its parts where it has them. NULL: a session without one.
    key                    TEXT,
    channel                TEXT,
    account                TEXT,
    chat_type              TEXT,
    peer                   TEXT,
    title                  TEXT,
    status                 TEXT NOT NULL DEFAULT 'active'
                           CHECK (status IN ('active', 'archived', 'deleted')),
    model                  TEXT,
    -- A fork shares its parent's messages up to and including this seq.
    parent_id              TEXT REFERENCES sessions (id),
    forked_at_seq          INTEGER,
    message_count          INTEGER NOT NULL DEFAULT 0,
    last_seq               INTEGER NOT NULL DEFAULT 0,
    compaction_count       INTEGER NOT NULL DEFAULT 0,
    flush_compaction_count INTEGER,
    flushed_at             INTEGER,
    input_tokens           INTEGER NOT NULL DEFAULT 0,
    output_tokens          INTEGER NOT NULL DEFAULT 0,
    total_tokens           INTEGER NOT NULL DEFAULT 0,
    context_tokens         INTEGER NOT NULL DEFAULT 0,
    -- Where an imported session came from, and its id there.
    source                 TEXT,
    foreign_id             TEXT,
    created_at             INTEGER NOT NULL,
    updated_at             INTEGER NOT NULL,
    metadata               TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata)), previous_id TEXT REFERENCES sessions (id), mode TEXT NOT NULL DEFAULT 'main'
    CHECK (mode IN ('main', 'group', 'queue')), cache_tokens INTEGER NOT NULL DEFAULT 0, flush_failures INTEGER NOT NULL DEFAULT 0, flushed_seq INTEGER, overrides TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(overrides)), pruned_seq INTEGER NOT NULL DEFAULT 0, place TEXT, ended_at INTEGER, digest INTEGER NOT NULL DEFAULT 0,
    UNIQUE (tenant, source, foreign_id),
    CHECK ((parent_id IS NULL) = (forked_at_seq IS NULL))
) STRICT;
CREATE TABLE "spending" (
    day                TEXT NOT NULL,
    kind               TEXT NOT NULL,
    purpose            TEXT NOT NULL,
    model              TEXT NOT NULL,
    requests           INTEGER NOT NULL CHECK (requests >= 0),
    input_tokens       INTEGER NOT NULL CHECK (input_tokens >= 0),
    output_tokens      INTEGER NOT NULL CHECK (output_tokens >= 0),
    cache_read_tokens  INTEGER NOT NULL CHECK (cache_read_tokens >= 0),
    cache_write_tokens INTEGER NOT NULL CHECK (cache_write_tokens >= 0),
    -- Billionths of a dollar, of the requests whose price is known; and how many others there were.
    nano_usd           INTEGER NOT NULL CHECK (nano_usd >= 0),
    unpriced           INTEGER NOT NULL CHECK (unpriced >= 0),
    PRIMARY KEY (day, kind, purpose, model)
) STRICT, WITHOUT ROWID;
CREATE TABLE stated (
    id         INTEGER PRIMARY KEY,
    tenant     TEXT NOT NULL,
    -- May be gone until what was stated is read again.
    message_id TEXT NOT NULL,
    first_char INTEGER NOT NULL,
    end_char   INTEGER NOT NULL,
    sentence   INTEGER NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    -- When and where it was said, as the message has it.
    said_at    INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    -- As the links of identities were; changed with them.
    audience   INTEGER NOT NULL,
    speaker    INTEGER NOT NULL,
    -- 0: it only tells a loss.
    slot       INTEGER NOT NULL,
    arity      TEXT NOT NULL CHECK (arity IN ('one', 'many', 'open')),
    value      INTEGER NOT NULL,
    value_type TEXT,
    is_change  INTEGER NOT NULL CHECK (is_change IN (0, 1)),
    -- The version of the rules that found it.
    rules      INTEGER NOT NULL
) STRICT;
CREATE TABLE summarised (
    session_id  TEXT PRIMARY KEY,
    through_seq INTEGER NOT NULL
) STRICT;
CREATE TABLE "tokens" (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    -- SHA-256 of its text, which has 256 random bits.
    hash         BLOB NOT NULL UNIQUE,
    tenant       TEXT NOT NULL,
    agent        TEXT,
    project      TEXT,
    audience     TEXT NOT NULL CHECK (audience IN ('owner', 'shared', 'session')),
    -- As which session it hears, where the audience is one.
    session_key  TEXT,
    rights       TEXT NOT NULL
                 CHECK (rights IN ('hooks', 'read', 'capture', 'write', 'files', 'admin')),
    -- Names of channels that it may speak for; * for all.
    channels     TEXT NOT NULL CHECK (json_valid(channels)),
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    revoked_at   INTEGER,
    -- To the minute.
    last_used_at INTEGER,
    CHECK ((audience = 'session') = (session_key IS NOT NULL))
) STRICT;
CREATE TABLE tombstones (
    salt       BLOB NOT NULL,
    hash       BLOB NOT NULL,
    erasure_id TEXT NOT NULL,
    PRIMARY KEY (salt, hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE tool_calls (
    id          TEXT PRIMARY KEY,
    tenant      TEXT NOT NULL,
    agent       TEXT,
    user_id     TEXT,
    project     TEXT,
    session_id  TEXT NOT NULL REFERENCES sessions (id),
    -- The message that asked for the tool, and the one that brought its result.
    message_id  TEXT NOT NULL REFERENCES messages (id),
    result_id   TEXT REFERENCES messages (id),
    -- The id that the model gave the call.
    call_id     TEXT,
    tool_name   TEXT NOT NULL,
    input       TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(input)),
    result_text TEXT,
    is_error    INTEGER NOT NULL DEFAULT 0 CHECK (is_error IN (0, 1)),
    created_at  INTEGER NOT NULL,
    finished_at INTEGER,
    UNIQUE (session_id, call_id)
) STRICT;
CREATE TABLE value_sentence_words (
    word       INTEGER NOT NULL,
    audience   INTEGER NOT NULL,
    -- Whether it may tell a change: few do, and only they are sought for most sentences.
    is_turning INTEGER NOT NULL CHECK (is_turning IN (0, 1)),
    sentence_id INTEGER NOT NULL REFERENCES value_sentences (id) ON DELETE CASCADE,
    is_name    INTEGER NOT NULL CHECK (is_name IN (0, 1)),
    PRIMARY KEY (word, audience, is_turning, sentence_id)
) STRICT, WITHOUT ROWID;
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
, stated INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE withdrawn_ranges (
    operation_id TEXT NOT NULL,
    tenant       TEXT NOT NULL,
    session_id   TEXT NOT NULL REFERENCES sessions (id),
    from_seq     INTEGER NOT NULL CHECK (from_seq >= 1),
    to_seq       INTEGER NOT NULL CHECK (to_seq >= from_seq),
    -- When the first of its messages was said and was stored, and when it was taken out.
    said_at      INTEGER NOT NULL,
    stored_at    INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    -- NULL: it is out.
    returned_at  INTEGER,
    PRIMARY KEY (operation_id, from_seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE withdrawn_records (
    kind         TEXT NOT NULL CHECK (kind IN ('fact', 'observation', 'episode', 'reopened')),
    ref          TEXT NOT NULL,
    operation_id TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    -- Of an episode its extent, of a fact that counts again meanwhile the one that replaced it.
    was          TEXT,
    PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;
CREATE TABLE withheld (
    tenant TEXT NOT NULL,
    reason TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number >= 0),
    at     INTEGER NOT NULL,
    PRIMARY KEY (tenant, reason)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_by_tenant ON audit (tenant, seq);
CREATE INDEX audit_twin ON audit (
    seq, tenant, agent, user_id, project, actor, action, outcome, target, at);
CREATE INDEX channel_senders_by_age ON channel_senders (tenant, status, last_at);
CREATE INDEX checkpoint_files_by_blob ON checkpoint_files (backup_blob)
    WHERE backup_blob IS NOT NULL;
CREATE INDEX checkpoint_files_by_path ON checkpoint_files (path, checkpoint_id)
    WHERE backup_blob IS NOT NULL;
CREATE INDEX checkpoint_writes_by_blob ON checkpoint_writes (after_blob)
    WHERE after_blob IS NOT NULL;
CREATE INDEX checkpoints_by_session ON checkpoints (session_id, number);
CREATE INDEX checkpoints_by_tool_use ON checkpoints (tool_use_id) WHERE tool_use_id IS NOT NULL;
CREATE INDEX compactions_twin ON compactions (
    session_id, through_seq, id, last_seq, summary, made_by, tokens_before, tokens_after,
    created_at, turn_sender, tenant, agent, user_id, project);
CREATE INDEX deliveries_by_state ON deliveries (tenant, channel, state, id);
CREATE UNIQUE INDEX episodes_by_number ON episodes (tenant, number);
CREATE INDEX episodes_by_project ON episodes (tenant, project, ended_at) WHERE extent = 'session';
CREATE INDEX episodes_by_session ON episodes (session_id, began_at);
CREATE INDEX episodes_by_time ON episodes (tenant, ended_at);
CREATE INDEX episodes_twin ON episodes (
    tenant, ended_at, id, session_id, number, agent, user_id, project, extent, turn_sender, summary,
    topics, began_at, message_count, made_by, created_at, speakers, through_seq, deeds, decisions,
    outcome, open_ends, tone);
CREATE UNIQUE INDEX episodes_whole ON episodes (session_id, coalesce(turn_sender, ''))
    WHERE extent = 'session';
CREATE INDEX erasures_unfinished ON erasures (at) WHERE finished_at IS NULL;
CREATE INDEX events_twin ON events (
    session_id, seq, tenant, agent, user_id, project, type, payload, at, actor);
CREATE INDEX events_twin_by_seq ON events (seq);
CREATE INDEX fact_sources_by_fact ON fact_sources (fact_id, said_at);
CREATE INDEX fact_sources_by_session ON fact_sources (session_id);
CREATE INDEX facts_by_follower ON facts (replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX facts_by_hand ON facts (tenant, slot) WHERE made_by = 'hand' AND slot IS NOT NULL;
CREATE INDEX facts_by_message ON facts (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX facts_by_session ON facts (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX facts_by_slot ON facts (tenant, slot, hearer) WHERE slot IS NOT NULL;
CREATE INDEX facts_by_time ON facts (tenant, created_at);
CREATE INDEX facts_by_user ON facts (tenant, user_id, created_at);
CREATE INDEX facts_by_words ON facts (tenant, words, hearer);
CREATE INDEX facts_twin ON facts (
    tenant, created_at, id, number, status, kind, project, session_id, message_id, agent, user_id,
    is_pinned);
CREATE INDEX facts_twin_by_id ON facts (id);
CREATE INDEX facts_twin_by_number ON facts (tenant, number, id);
CREATE INDEX facts_twin_by_user ON facts (
    tenant, user_id, created_at, id, number, status, kind, project, session_id, message_id, agent,
    is_pinned);
CREATE INDEX flushed_notes_by_session ON flushed_notes (session_id);
CREATE INDEX flushed_notes_hidden ON flushed_notes (path, line_hash) WHERE is_hidden = 1;
CREATE INDEX identity_proposals_by_account ON identity_proposals (tenant, account, claimed);
CREATE INDEX inbound_by_event ON inbound (tenant, event_id);
CREATE INDEX inbound_by_session ON inbound (session_id);
CREATE INDEX inbound_waiting ON inbound (tenant, id) WHERE state IN ('received', 'asked');
CREATE INDEX injected_items_by_ref ON injected_items (ref);
CREATE INDEX injected_items_twin ON injected_items (
    injection_id, place, kind, ref, number, section, why, tokens);
CREATE INDEX injections_by_session ON injections (session_id, id);
CREATE INDEX injections_by_time ON injections (tenant, at);
CREATE INDEX injections_twin ON injections (
    tenant, id, session_id, visibility_group, reason, client, query_digest, tokens, chars, dropped,
    at, agent, user_id, project, budget);
CREATE INDEX losses_by_value ON losses (value);
CREATE UNIQUE INDEX messages_by_event ON messages (event_id, session_id)
    WHERE event_id IS NOT NULL;
CREATE INDEX messages_by_head ON messages (foreign_id)
    WHERE foreign_id IS NOT NULL AND (seq = 1 OR role = 'system');
CREATE UNIQUE INDEX messages_by_number ON messages (tenant, number);
CREATE INDEX messages_by_time ON messages (tenant, created_at);
CREATE INDEX messages_by_turn_sender ON messages (session_id, turn_sender)
    WHERE turn_sender IS NOT NULL;
CREATE INDEX messages_twin ON messages (
    tenant, created_at, id, number, session_id, seq, role, agent, user_id, project, turn_sender);
CREATE INDEX messages_twin_by_id ON messages (id);
CREATE INDEX never_injected_by_tenant ON never_injected (tenant, at);
CREATE UNIQUE INDEX observations_by_event ON observations (session_id, event_id)
    WHERE event_id IS NOT NULL;
CREATE INDEX observations_by_input ON observations (input_blob) WHERE input_blob IS NOT NULL;
CREATE INDEX observations_by_output ON observations (output_blob) WHERE output_blob IS NOT NULL;
CREATE INDEX observations_by_project ON observations (tenant, project, created_at);
CREATE INDEX observations_by_session ON observations (session_id, created_at);
CREATE INDEX observations_by_time ON observations (tenant, created_at);
CREATE UNIQUE INDEX observations_by_tool_use ON observations (session_id, tool_use_id, event)
    WHERE tool_use_id IS NOT NULL;
CREATE INDEX observations_twin ON observations (
    tenant, created_at, id, number, session_id, project, is_forgotten, type, tool_name, importance,
    event, message_id, agent, user_id, turn_sender);
CREATE INDEX observations_twin_by_id ON observations (id);
CREATE INDEX observations_twin_by_number ON observations (tenant, number, id);
CREATE INDEX pauses_twin ON pauses (tenant, id, project_id, since, until);
CREATE INDEX pending_messages_by_key ON pending_messages (tenant, key, id);
CREATE INDEX project_aliases_by_project ON project_aliases (tenant, project_id);
CREATE INDEX project_aliases_twin ON project_aliases (tenant, project_id, path, kind, at);
CREATE INDEX projects_by_meaning ON projects (tenant, stands_for);
CREATE INDEX projects_twin ON projects (
    tenant, created_at, id, name, root, remote, clone, merged_into, stands_for, apart);
CREATE INDEX replacements_by_newer ON replacements (newer_id);
CREATE INDEX replacements_by_newer_time ON replacements (tenant, newer_at);
CREATE INDEX replacements_by_time ON replacements (tenant, older_at);
CREATE INDEX rewinds_by_rescue ON rewinds (rescue_id);
CREATE INDEX rewinds_by_session ON rewinds (session_id, id);
CREATE INDEX rewinds_by_target ON rewinds (target_id);
CREATE INDEX rewinds_unfinished ON rewinds (root) WHERE status IN ('applying', 'interrupted');
CREATE UNIQUE INDEX session_states_by_turn ON session_states (session_id, coalesce(turn_sender, ''));
CREATE INDEX session_states_twin ON session_states (
    session_id, turn_sender, tenant, task, steps, source, updated_at);
CREATE INDEX sessions_by_key ON sessions (tenant, key, updated_at);
CREATE INDEX sessions_by_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX sessions_by_previous ON sessions (previous_id) WHERE previous_id IS NOT NULL;
CREATE INDEX sessions_by_project ON sessions (tenant, project, updated_at);
CREATE INDEX sessions_by_time ON sessions (tenant, updated_at);
CREATE INDEX sessions_twin ON sessions (
    id, tenant, status, agent, user_id, project, key, channel, account, chat_type, peer, title);
CREATE INDEX sessions_twin_by_time ON sessions (
    tenant, updated_at, id, status, agent, user_id, project, key, channel, account, chat_type, peer,
    title, parent_id, forked_at_seq, message_count, last_seq, source, foreign_id, created_at,
    metadata, overrides, mode, model, previous_id, compaction_count, pruned_seq,
    flush_compaction_count, flushed_at, flush_failures, input_tokens, output_tokens, cache_tokens,
    total_tokens, context_tokens, ended_at);
CREATE INDEX spending_twin ON spending (
    day, kind, purpose, model, requests, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, nano_usd, unpriced);
CREATE INDEX stated_by_message ON stated (message_id);
CREATE INDEX stated_by_session ON stated (session_id);
CREATE INDEX stated_by_slot ON stated (slot, audience, speaker);
CREATE INDEX stated_by_value ON stated (value, audience, speaker);
CREATE UNIQUE INDEX tokens_by_name ON tokens (name) WHERE revoked_at IS NULL;
CREATE INDEX tool_calls_by_message ON tool_calls (message_id);
CREATE INDEX tool_calls_by_result ON tool_calls (result_id) WHERE result_id IS NOT NULL;
CREATE INDEX value_sentence_words_by_sentence ON value_sentence_words (sentence_id);
CREATE INDEX value_sentences_by_message ON value_sentences (message_id);
CREATE INDEX value_sentences_by_session ON value_sentences (session_id);
CREATE INDEX withdrawn_ranges_by_session ON withdrawn_ranges (session_id, to_seq)
    WHERE returned_at IS NULL;
CREATE INDEX withdrawn_records_by_operation ON withdrawn_records (operation_id);
CREATE INDEX withheld_twin ON withheld (tenant, reason, number, at);
