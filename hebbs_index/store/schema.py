"""The tables of the index, as one commented SQL text, and the history of their versions.

Only `event` and the tables folded from it hold what the journals say; every other
table is derived from the files and may be thrown away. What can be derived at read
time is a view, so that it is never stale: which document a link reaches, which
pair of statements a ruling speaks of, and every edge.

History, newest last (`PRAGMA user_version` holds the number):

    1  the first one
"""

from __future__ import annotations

SCHEMA_VERSION = 1

APPLICATION_ID = 0x48454242  # "HEBB": tells our file from any other SQLite database

SCHEMA = """
CREATE TABLE meta (                  -- single values: generation, fingerprint, last run
    key    TEXT NOT NULL PRIMARY KEY,
    value  ANY
) STRICT, WITHOUT ROWID;

INSERT INTO meta VALUES ('generation', 0);
INSERT INTO meta VALUES ('identity', lower(hex(randomblob(16))));   -- which database a cache is of

-- ------------------------------------------------------------------ files

CREATE TABLE file (                  -- the manifest; written last in a file's transaction
    path          TEXT NOT NULL PRIMARY KEY,
    size          INTEGER NOT NULL,
    mtime_ns      INTEGER NOT NULL,
    ctime_ns      INTEGER NOT NULL,
    inode         TEXT NOT NULL,     -- decimal: some systems use more than 63 bits
    read_at_ns    INTEGER NOT NULL,
    content_hash  TEXT,              -- NULL: never read
    sketch        TEXT NOT NULL,     -- JSON list of line hashes
    document_id   TEXT REFERENCES document (id) ON DELETE SET NULL,
    version       TEXT NOT NULL,     -- of the analysis
    problems      TEXT NOT NULL DEFAULT '[]'   -- JSON list of [stage, reason]
) STRICT, WITHOUT ROWID;

CREATE INDEX file_document ON file (document_id);

CREATE TABLE skipped (               -- what the last scan left out, and why; not in the manifest
    path    TEXT NOT NULL,
    stage   TEXT NOT NULL,
    reason  TEXT NOT NULL,
    PRIMARY KEY (path, stage, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE document (
    id            TEXT NOT NULL PRIMARY KEY,
    path          TEXT NOT NULL UNIQUE,
    bare_path     TEXT NOT NULL,     -- path without its suffix: what a link may leave out
    bare_name     TEXT NOT NULL,     -- its last part, case folded: a wiki name
    title_name    TEXT NOT NULL,     -- the title, case folded: a wiki name too
    title         TEXT NOT NULL,
    text          TEXT NOT NULL,     -- the whole decoded source
    format        TEXT NOT NULL,
    encoding      TEXT NOT NULL,
    content_hash  TEXT NOT NULL,
    entity        TEXT,              -- declared, as first written
    front_matter  TEXT NOT NULL,     -- JSON object
    date          TEXT,
    date_basis    TEXT,
    importance    REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX document_bare_path ON document (bare_path);
CREATE INDEX document_bare_name ON document (bare_name);
CREATE INDEX document_title_name ON document (title_name);

CREATE TABLE link (                  -- from a document to something else, as written
    document_id  TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    ordinal      INTEGER NOT NULL,
    target       TEXT NOT NULL,
    anchor       TEXT NOT NULL,
    wiki         INTEGER NOT NULL,
    place        TEXT,               -- the path it means, seen from the root; NULL: none
    name         TEXT,               -- the folded wiki name it means; NULL: none
    PRIMARY KEY (document_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX link_place ON link (place);
CREATE INDEX link_name ON link (name);

-- ------------------------------------------------------------------ statements

CREATE TABLE statement (             -- what is compared: one row for all equal propositions
    id               INTEGER PRIMARY KEY AUTOINCREMENT,   -- a number is never used twice
    statement_key    TEXT NOT NULL,
    declared_entity  TEXT NOT NULL,  -- folded; '' for none
    content_hash     TEXT NOT NULL,  -- of text, embed_text and claims
    text             TEXT NOT NULL,
    embed_text       TEXT NOT NULL,
    text_hash        TEXT NOT NULL,  -- of embed_text: joins `vector`
    claims           TEXT NOT NULL,  -- JSON
    checked          INTEGER NOT NULL DEFAULT 0,
    UNIQUE (statement_key, declared_entity, content_hash)
) STRICT;

CREATE INDEX statement_text_hash ON statement (text_hash);
CREATE INDEX statement_unchecked ON statement (id) WHERE checked = 0;

CREATE TABLE proposition (           -- one occurrence of a statement in a document
    rowid         INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    document_id   TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    statement_id  INTEGER NOT NULL REFERENCES statement (id),
    ordinal       INTEGER NOT NULL,  -- position in the document, from 0
    occurrence    INTEGER NOT NULL,  -- among equal statement keys of the document
    text          TEXT NOT NULL,
    own_text      TEXT NOT NULL,
    kind          TEXT NOT NULL,
    start         INTEGER NOT NULL,  -- characters of document.text, end excluded
    end           INTEGER NOT NULL,
    line_start    INTEGER NOT NULL,
    line_end      INTEGER NOT NULL,
    heading_path  TEXT NOT NULL,     -- JSON list
    sentence_key  TEXT NOT NULL,
    entity        TEXT,
    entity_key    TEXT NOT NULL,     -- entity, folded; '' for none
    date          TEXT,
    date_basis    TEXT,
    asserted      INTEGER NOT NULL,
    importance    REAL NOT NULL
) STRICT;

CREATE INDEX proposition_document ON proposition (document_id, ordinal);
CREATE INDEX proposition_statement ON proposition (statement_id);
CREATE INDEX proposition_sentence ON proposition (sentence_key);
CREATE INDEX proposition_entity ON proposition (entity_key);

CREATE TABLE loose_statement (       -- may have lost its last proposition; empty between writes
    id  INTEGER PRIMARY KEY
) STRICT;

CREATE TRIGGER statement_left AFTER DELETE ON proposition BEGIN
    INSERT OR IGNORE INTO loose_statement VALUES (OLD.statement_id);
END;

CREATE TRIGGER statement_exchanged AFTER UPDATE OF statement_id ON proposition
WHEN OLD.statement_id <> NEW.statement_id BEGIN
    INSERT OR IGNORE INTO loose_statement VALUES (OLD.statement_id);
END;

CREATE TABLE mention (
    proposition  INTEGER NOT NULL REFERENCES proposition (rowid) ON DELETE CASCADE,
    ordinal      INTEGER NOT NULL,
    entity       TEXT NOT NULL,      -- canonical key
    name         TEXT NOT NULL,
    label        TEXT NOT NULL,
    start        INTEGER NOT NULL,
    end          INTEGER NOT NULL,
    PRIMARY KEY (proposition, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX mention_entity ON mention (entity);

CREATE TABLE relation (
    document_id  TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    ordinal      INTEGER NOT NULL,
    subject      TEXT NOT NULL,
    predicate    TEXT NOT NULL,
    object       TEXT NOT NULL,
    source       INTEGER NOT NULL REFERENCES proposition (rowid) ON DELETE CASCADE,
    target       INTEGER NOT NULL REFERENCES proposition (rowid) ON DELETE CASCADE,
    PRIMARY KEY (document_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX relation_source ON relation (source);
CREATE INDEX relation_target ON relation (target);

CREATE VIRTUAL TABLE proposition_text USING fts5 (   -- rowid is proposition.rowid
    text, heading, title,
    tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER proposition_text_added AFTER INSERT ON proposition BEGIN
    INSERT INTO proposition_text (rowid, text, heading, title)
    SELECT NEW.rowid, NEW.text,
           (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(NEW.heading_path)),
           (SELECT title FROM document WHERE id = NEW.document_id);
END;

CREATE TRIGGER proposition_text_changed AFTER UPDATE OF text, heading_path ON proposition
WHEN OLD.text <> NEW.text OR OLD.heading_path <> NEW.heading_path BEGIN
    UPDATE proposition_text
    SET text = NEW.text,
        heading = (SELECT coalesce(group_concat(value, ' '), '')
                   FROM json_each(NEW.heading_path))
    WHERE rowid = NEW.rowid;
END;

CREATE TRIGGER proposition_text_removed AFTER DELETE ON proposition BEGIN
    DELETE FROM proposition_text WHERE rowid = OLD.rowid;
END;

CREATE TRIGGER proposition_text_retitled AFTER UPDATE OF title ON document
WHEN OLD.title <> NEW.title BEGIN
    UPDATE proposition_text SET title = NEW.title
    WHERE rowid IN (SELECT rowid FROM proposition WHERE document_id = NEW.id);
END;

-- ------------------------------------------------------------------ the check

CREATE TABLE vector (                -- one row for each distinct embedded text
    id             INTEGER PRIMARY KEY AUTOINCREMENT,   -- a number is never used twice
    text_hash      TEXT NOT NULL UNIQUE,
    data           BLOB NOT NULL,    -- little-endian float16, see quantized.py
    checksum       INTEGER NOT NULL, -- crc32 of data
    floor_product  REAL,             -- of the k-th neighbour; NULL: fewer than k
    floor_key      TEXT,
    gone           INTEGER NOT NULL DEFAULT 0   -- 1: no statement has it
) STRICT;

CREATE INDEX vector_gone ON vector (id) WHERE gone = 1;

CREATE TABLE slot (                  -- where claims about the same thing meet
    name          TEXT NOT NULL PRIMARY KEY,
    checked_size  INTEGER NOT NULL DEFAULT 0,   -- members when last checked
    dirty         INTEGER NOT NULL DEFAULT 1    -- 1: members came or went since
) STRICT, WITHOUT ROWID;

CREATE INDEX slot_dirty ON slot (name) WHERE dirty = 1;

CREATE TABLE statement_slot (
    statement_id  INTEGER NOT NULL REFERENCES statement (id) ON DELETE CASCADE,
    slot          TEXT NOT NULL,
    PRIMARY KEY (statement_id, slot)
) STRICT, WITHOUT ROWID;

CREATE INDEX statement_slot_name ON statement_slot (slot);

CREATE TRIGGER slot_joined AFTER INSERT ON statement_slot BEGIN
    INSERT INTO slot (name) VALUES (NEW.slot) ON CONFLICT (name) DO UPDATE SET dirty = 1;
END;

CREATE TRIGGER slot_left AFTER DELETE ON statement_slot BEGIN
    UPDATE slot SET dirty = 1 WHERE name = OLD.slot;
END;

CREATE TABLE pending (               -- every flagged pair, ruled or not; derived
    statement_a  INTEGER NOT NULL REFERENCES statement (id) ON DELETE CASCADE,
    statement_b  INTEGER NOT NULL REFERENCES statement (id) ON DELETE CASCADE,
    pair_key     TEXT NOT NULL,      -- several rows may share it: equal words, other claims
    score        REAL NOT NULL,
    label        TEXT NOT NULL,
    similarity   REAL,
    signals      TEXT NOT NULL,      -- JSON list of [name, span_a, span_b, detail]
    guards       TEXT NOT NULL,      -- JSON list of [name, detail]
    supersedes   TEXT,               -- a, b or NULL
    found_us     INTEGER NOT NULL,
    PRIMARY KEY (statement_a, statement_b)
) STRICT, WITHOUT ROWID;

CREATE INDEX pending_b ON pending (statement_b);
CREATE INDEX pending_pair ON pending (pair_key);

-- Any change to what the check reads moves the generation on, whoever makes it.

CREATE TRIGGER generation_statement_added AFTER INSERT ON statement BEGIN
    UPDATE meta SET value = value + 1 WHERE key = 'generation';
END;
CREATE TRIGGER generation_statement_removed AFTER DELETE ON statement BEGIN
    UPDATE meta SET value = value + 1 WHERE key = 'generation';
END;
CREATE TRIGGER generation_vector_added AFTER INSERT ON vector BEGIN
    UPDATE meta SET value = value + 1 WHERE key = 'generation';
END;
CREATE TRIGGER generation_vector_changed AFTER UPDATE OF gone, data ON vector BEGIN
    UPDATE meta SET value = value + 1 WHERE key = 'generation';
END;
CREATE TRIGGER generation_vector_removed AFTER DELETE ON vector WHEN OLD.gone = 0 BEGIN
    UPDATE meta SET value = value + 1 WHERE key = 'generation';
END;

-- ------------------------------------------------------------------ journals

CREATE TABLE journal (               -- how much of each journal has been applied
    name   TEXT NOT NULL PRIMARY KEY,
    bytes  INTEGER NOT NULL,
    hash   TEXT NOT NULL             -- of those bytes: a rewritten journal is noticed
) STRICT, WITHOUT ROWID;

CREATE TABLE event (                 -- copy of the journals' lines
    id       TEXT NOT NULL PRIMARY KEY,
    journal  TEXT NOT NULL,
    time_us  INTEGER NOT NULL,
    type     TEXT NOT NULL,
    author   TEXT NOT NULL,
    version  INTEGER NOT NULL,
    body     TEXT NOT NULL           -- JSON object
) STRICT, WITHOUT ROWID;

CREATE TABLE ruling (                -- folded from the events: the one in force for each pair
    pair_key    TEXT NOT NULL PRIMARY KEY,
    event_id    TEXT NOT NULL,
    verdict     TEXT NOT NULL,
    confidence  REAL NOT NULL,
    reasoning   TEXT NOT NULL,
    author      TEXT NOT NULL,
    decided_us  INTEGER NOT NULL,
    supersedes  TEXT,                -- a, b or NULL: which side is the successor
    key_a       TEXT NOT NULL,
    entity_a    TEXT NOT NULL,
    sentence_a  TEXT NOT NULL,
    key_b       TEXT NOT NULL,
    entity_b    TEXT NOT NULL,
    sentence_b  TEXT NOT NULL,
    body        TEXT NOT NULL        -- the event's, with both texts
) STRICT, WITHOUT ROWID;

CREATE INDEX ruling_a ON ruling (key_a, entity_a);
CREATE INDEX ruling_b ON ruling (key_b, entity_b);

-- ------------------------------------------------------------------ derived at read time

CREATE VIEW link_end (document_id, ordinal, target_id) AS   -- the document a link reaches
    SELECT link.document_id, link.ordinal, document.id
    FROM link JOIN document ON document.path = link.place
    UNION ALL
    SELECT link.document_id, link.ordinal, min(document.id)
    FROM link JOIN document ON document.bare_path = link.place
    WHERE NOT EXISTS (SELECT 1 FROM document AS exact WHERE exact.path = link.place)
    GROUP BY link.document_id, link.ordinal HAVING count(*) = 1
    UNION ALL
    SELECT link.document_id, link.ordinal, min(document.id)
    FROM link JOIN document
        ON document.bare_name = link.name OR document.title_name = link.name
    GROUP BY link.document_id, link.ordinal HAVING count(*) = 1;

CREATE VIEW flagged_sentence         -- both ways round: the sentences of flagged pairs
    (pair_key, key_a, entity_a, sentence_a, key_b, entity_b, sentence_b) AS
    SELECT pending.pair_key,
           a.statement_key, a.declared_entity, pa.sentence_key,
           b.statement_key, b.declared_entity, pb.sentence_key
    FROM pending
    JOIN statement AS a ON a.id = pending.statement_a
    JOIN proposition AS pa ON pa.statement_id = a.id
    JOIN statement AS b ON b.id = pending.statement_b
    JOIN proposition AS pb ON pb.statement_id = b.id
    UNION
    SELECT pending.pair_key,
           b.statement_key, b.declared_entity, pb.sentence_key,
           a.statement_key, a.declared_entity, pa.sentence_key
    FROM pending
    JOIN statement AS a ON a.id = pending.statement_a
    JOIN proposition AS pa ON pa.statement_id = a.id
    JOIN statement AS b ON b.id = pending.statement_b
    JOIN proposition AS pb ON pb.statement_id = b.id;

CREATE VIEW ruling_presence (ruled_key, has_a, has_b) AS    -- which sides still stand somewhere
    SELECT pair_key,
           EXISTS (SELECT 1 FROM statement
                   WHERE statement_key = key_a AND declared_entity = entity_a),
           EXISTS (SELECT 1 FROM statement
                   WHERE statement_key = key_b AND declared_entity = entity_b)
    FROM ruling;

CREATE VIEW ruling_followed          -- the one flagged pair cut from the same two sentences
    (ruled_key, pair_key, key_a, key_b) AS
    SELECT ruling.pair_key, min(near.pair_key), min(near.key_a), min(near.key_b)
    FROM ruling
    JOIN ruling_presence AS present
        ON present.ruled_key = ruling.pair_key AND NOT (present.has_a AND present.has_b)
    JOIN flagged_sentence AS near
        ON near.sentence_a = ruling.sentence_a AND near.entity_a = ruling.entity_a
        AND near.sentence_b = ruling.sentence_b AND near.entity_b = ruling.entity_b
        AND (near.key_a = ruling.key_a OR NOT present.has_a)
        AND (near.key_b = ruling.key_b OR NOT present.has_b)
    WHERE ruling.sentence_a <> ruling.sentence_b
        AND near.pair_key NOT IN (SELECT pair_key FROM ruling)
    GROUP BY ruling.pair_key
    HAVING count(DISTINCT near.pair_key) = 1 AND count(DISTINCT near.key_a) = 1;

CREATE VIEW ruling_place             -- the present pair that each ruling speaks of, if any
    (ruled_key, pair_key, key_a, entity_a, key_b, entity_b) AS
    SELECT pair_key, pair_key, key_a, entity_a, key_b, entity_b
    FROM ruling JOIN ruling_presence ON ruled_key = pair_key
    WHERE has_a AND has_b
    UNION ALL
    SELECT ruled_key, pair_key, key_a, entity_a, key_b, entity_b
    FROM (SELECT followed.ruled_key, followed.pair_key, followed.key_a, ruling.entity_a,
                 followed.key_b, ruling.entity_b,
                 row_number() OVER (PARTITION BY followed.pair_key
                                    ORDER BY ruling.decided_us DESC, ruling.event_id DESC) AS place
          FROM ruling_followed AS followed
          JOIN ruling ON ruling.pair_key = followed.ruled_key)
    WHERE place = 1;

CREATE VIEW edge_proposition_of (source_id, target_id, kind, confidence, created_us, note) AS
    SELECT proposition.id, proposition.document_id, 'proposition_of', 1.0,
           coalesce((SELECT max(mtime_ns) FROM file
                     WHERE file.document_id = proposition.document_id), 0) / 1000, ''
    FROM proposition;

CREATE VIEW edge_entity_relation (source_id, target_id, kind, confidence, created_us, note) AS
    SELECT DISTINCT source.id, target.id, 'entity_relation', 1.0,
           coalesce((SELECT max(mtime_ns) FROM file
                     WHERE file.document_id = relation.document_id), 0) / 1000,
           relation.predicate
    FROM relation
    JOIN proposition AS source ON source.rowid = relation.source
    JOIN proposition AS target ON target.rowid = relation.target
    WHERE relation.source <> relation.target;

CREATE VIEW edge_related_to (source_id, target_id, kind, confidence, created_us, note) AS
    SELECT min(link_end.document_id, link_end.target_id),
           max(link_end.document_id, link_end.target_id), 'related_to', 1.0,
           max(coalesce((SELECT max(mtime_ns) FROM file
                         WHERE file.document_id = link_end.document_id), 0)) / 1000, ''
    FROM link_end
    WHERE link_end.document_id <> link_end.target_id
    GROUP BY 1, 2;

CREATE VIEW edge_ruling (source_id, target_id, kind, confidence, created_us, note) AS
    SELECT CASE WHEN ruling.verdict = 'revision' AND coalesce(ruling.supersedes, 'b') = 'b'
                THEN pb.id ELSE pa.id END,
           CASE WHEN ruling.verdict = 'revision' AND coalesce(ruling.supersedes, 'b') = 'b'
                THEN pa.id ELSE pb.id END,
           CASE ruling.verdict WHEN 'revision' THEN 'revised_from' ELSE 'contradicts' END,
           ruling.confidence, ruling.decided_us, ruling.reasoning
    FROM ruling_place AS place
    JOIN ruling ON ruling.pair_key = place.ruled_key
    JOIN statement AS a
        ON a.statement_key = place.key_a AND a.declared_entity = place.entity_a
    JOIN proposition AS pa ON pa.statement_id = a.id
    JOIN statement AS b
        ON b.statement_key = place.key_b AND b.declared_entity = place.entity_b
    JOIN proposition AS pb ON pb.statement_id = b.id
    WHERE ruling.verdict IN ('contradiction', 'revision') AND pa.id <> pb.id;
"""
