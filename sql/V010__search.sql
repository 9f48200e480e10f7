-- The retrieval surface, whole: what search finds, by what it can be filtered, who said it was of use, and what a search is measured by.

DROP TABLE memory_units;

-- Folded anew by the next fold: a unit has more columns, and a long message is several passages.
-- class: derived
CREATE TABLE memory_units (
  unit_id VARCHAR PRIMARY KEY,
  unit_kind VARCHAR NOT NULL,             -- entry|task|passage|episode|gotcha
  source_id VARCHAR NOT NULL,             -- memory, task, session, or session and message
  part INTEGER NOT NULL,                  -- which passage of its message, from 0
  title VARCHAR NOT NULL,
  summary VARCHAR NOT NULL,               -- about 50 tokens, never empty
  body VARCHAR NOT NULL,
  own_text VARCHAR NOT NULL,              -- tokens of what the unit says
  around_text VARCHAR NOT NULL,           -- tokens of what is said around it, and of its date
  summary_tokens INTEGER NOT NULL,
  body_tokens INTEGER NOT NULL,
  entry_type VARCHAR,
  stage VARCHAR NOT NULL,
  status VARCHAR NOT NULL,
  confidence DOUBLE NOT NULL,
  scope VARCHAR NOT NULL,                 -- project|org
  project VARCHAR,
  worktree VARCHAR,                       -- the folder that the session worked in
  session_id VARCHAR,                     -- null for what spans sessions
  message_index INTEGER,
  place INTEGER,                          -- the how-manieth passage of its session, from 0
  span_start INTEGER,                     -- of a passage: its characters of the message, half open
  span_end INTEGER,
  role VARCHAR,
  speaker VARCHAR,                        -- who says a passage, where the source names people
  occurred_at TIMESTAMP NOT NULL,
  citations_json JSON NOT NULL,
  embed_hash VARCHAR NOT NULL,            -- of the text that is embedded
  content_hash VARCHAR NOT NULL           -- of everything that the index holds of the unit
);

-- What units can be filtered by: file, symbol, commit, tag, role, project.
-- class: derived
CREATE TABLE unit_facets (
  unit_id VARCHAR NOT NULL,
  facet VARCHAR NOT NULL,
  value VARCHAR NOT NULL,
  PRIMARY KEY (unit_id, facet, value)
);

DROP VIEW v_outbox_summary;
DROP TABLE vector_outbox;

-- class: operational
CREATE TABLE vector_outbox (
  job_id VARCHAR PRIMARY KEY,
  item_kind VARCHAR NOT NULL,
  item_id VARCHAR NOT NULL,
  embedding_version VARCHAR NOT NULL,
  content_hash VARCHAR NOT NULL,
  op VARCHAR NOT NULL,                    -- upsert|delete
  status VARCHAR NOT NULL,                -- pending|done|failed
  error VARCHAR,
  attempts INTEGER NOT NULL,
  next_attempt_at TIMESTAMP,              -- of a failed job: not before
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  UNIQUE (item_kind, item_id, embedding_version)
);

CREATE VIEW v_outbox_summary AS
SELECT embedding_version, item_kind, status, count(*) AS jobs, max(attempts) AS max_attempts
FROM vector_outbox GROUP BY ALL;

-- What people and agents said of units that they were shown.
-- class: derived
CREATE TABLE unit_feedback (
  event_id VARCHAR PRIMARY KEY,
  unit_kind VARCHAR NOT NULL,
  source_id VARCHAR NOT NULL,             -- as in memory_units: it outlives the unit
  signal VARCHAR NOT NULL,                -- used|helpful|wrong
  said_by VARCHAR NOT NULL,
  note VARCHAR NOT NULL,
  said_at TIMESTAMP NOT NULL
);

-- What was delivered, counted. No question is kept.
-- class: operational
CREATE TABLE unit_usage (
  unit_kind VARCHAR NOT NULL,
  source_id VARCHAR NOT NULL,
  shown INTEGER NOT NULL,
  first_shown_at TIMESTAMP NOT NULL,
  last_shown_at TIMESTAMP NOT NULL,
  PRIMARY KEY (unit_kind, source_id)
);

-- Spools of what was delivered that are counted already and may lie there still: in the transaction that counted them.
-- class: operational
CREATE TABLE usage_spools (
  name VARCHAR PRIMARY KEY
);

CREATE VIEW v_unit_standing AS
SELECT u.unit_id, u.unit_kind, u.source_id, coalesce(any_value(g.shown), 0) AS shown,
  count(f.event_id) FILTER (f.signal = 'used') AS used, count(f.event_id) FILTER (f.signal = 'helpful') AS helpful,
  count(f.event_id) FILTER (f.signal = 'wrong') AS wrong, max(f.said_at) AS last_feedback_at
FROM memory_units u
LEFT JOIN unit_usage g ON g.unit_kind = u.unit_kind AND g.source_id = u.source_id
LEFT JOIN unit_feedback f ON f.unit_kind = u.unit_kind AND f.source_id = u.source_id
GROUP BY u.unit_id, u.unit_kind, u.source_id;

-- Runs of golden questions.
-- class: derived
CREATE TABLE eval_runs (
  run_id VARCHAR PRIMARY KEY,
  suite VARCHAR NOT NULL,
  suite_hash VARCHAR NOT NULL,
  corpus_seq BIGINT NOT NULL,             -- how far the log had come
  config_json JSON NOT NULL,
  aggregate_json JSON NOT NULL,
  results_json JSON NOT NULL,             -- of each question
  passed BOOLEAN NOT NULL,
  reasons_json JSON NOT NULL,             -- why it did not pass, in sentences
  baseline_run_id VARCHAR,
  ran_at TIMESTAMP NOT NULL,
  event_id VARCHAR NOT NULL
);
