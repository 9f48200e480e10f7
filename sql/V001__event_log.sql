-- The log and what is needed to read it. Each table declares its class: truth, derived or operational
-- (architecture: truth is kept, derived is folded and equal after a replay, operational is neither).
-- No function defaults and no foreign keys: the server mode replays these statements on its clients, and both break there.

-- class: operational
CREATE TABLE schema_migrations (
  version INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  sha256 VARCHAR NOT NULL,
  applied_at TIMESTAMP NOT NULL
);

-- class: truth
CREATE TABLE events (
  seq BIGINT PRIMARY KEY,                 -- commit order, assigned in the insert's own transaction
  event_id VARCHAR NOT NULL UNIQUE,       -- 'ev_' and the hash of dedupe_key: the dedupe constraint
  dedupe_key VARCHAR NOT NULL,
  ts TIMESTAMP NOT NULL,                  -- append time, UTC, given by the writer
  event_type VARCHAR NOT NULL,
  actor VARCHAR NOT NULL,
  session_id VARCHAR,
  payload_json JSON NOT NULL,
  payload_redacted JSON,
  sensitivity VARCHAR DEFAULT 'normal',
  checksum VARCHAR NOT NULL,              -- sha256 of the canonical JSON of the payload
  build_id VARCHAR,
  created_at TIMESTAMP NOT NULL,
  occurred_at TIMESTAMP,                  -- the session's own clock, UTC
  payload_version INTEGER NOT NULL,
  causation_id VARCHAR,                   -- the event that this one was made from
  stage_version VARCHAR,                  -- code, prompt, model and policy of the stage that wrote it
  chain_id VARCHAR,                       -- first session_ingested event of the history that it belongs to
  basis_chains VARCHAR[],                 -- for outcomes across sessions: the histories that they rest on
  telemetry_json JSON,                    -- what was measured: outside key and checksum
  project VARCHAR,
  dagster_run_id VARCHAR
);

CREATE VIEW event_dedup AS SELECT dedupe_key, event_id, ts, event_type FROM events;

-- Nothing of a session before this is to be read.
CREATE VIEW forgotten_sessions AS
SELECT session_id, max(seq) AS seq FROM events WHERE event_type = 'session_forgotten' GROUP BY session_id;

-- Histories that a later one replaced, or that were forgotten. Few sessions have more than one such mark.
CREATE VIEW hidden_chains AS
WITH marked AS (
  SELECT session_id, max(seq) AS seq FROM events
  WHERE event_type = 'session_forgotten' OR (event_type = 'session_ingested' AND event_id = chain_id)
  GROUP BY session_id HAVING count(*) > 1
)
SELECT r.chain_id FROM events r JOIN marked m USING (session_id)
WHERE r.event_type = 'session_ingested' AND r.event_id = r.chain_id AND r.seq < m.seq;

-- Outcomes across sessions that rest on one of them.
CREATE VIEW hidden_outcomes AS
SELECT o.event_id
FROM (SELECT event_id, unnest(basis_chains) AS chain_id FROM events WHERE basis_chains IS NOT NULL) o
JOIN hidden_chains USING (chain_id);

-- What folds read: nothing of a forgotten session, of a retired history, or resting on either. `log.sql.visible` says the same of
-- some events only, for this view reads the whole log, whatever is asked of it.
CREATE VIEW visible_events AS
SELECT e.* FROM events e LEFT JOIN forgotten_sessions f ON f.session_id = e.session_id
WHERE (f.seq IS NULL OR e.seq >= f.seq)
  AND (e.chain_id IS NULL OR e.chain_id NOT IN (SELECT chain_id FROM hidden_chains))
  AND (e.basis_chains IS NULL OR e.event_id NOT IN (SELECT event_id FROM hidden_outcomes));

-- Which version of each stage the folds follow; written from the settings before a fold.
-- class: operational
CREATE TABLE configured_versions (
  event_type VARCHAR PRIMARY KEY,
  stage_version VARCHAR NOT NULL
);

-- class: operational
CREATE TABLE projection_offsets (
  projector_name VARCHAR PRIMARY KEY,
  last_ts TIMESTAMP,
  last_event_id VARCHAR,
  last_seq BIGINT NOT NULL,
  projector_version VARCHAR NOT NULL,
  updated_at TIMESTAMP
);

-- class: operational
CREATE TABLE pipeline_metrics (
  id VARCHAR PRIMARY KEY,
  ts TIMESTAMP NOT NULL,
  stage VARCHAR NOT NULL,
  latency_ms DOUBLE NOT NULL,
  success BOOLEAN NOT NULL,
  error VARCHAR,
  session_id VARCHAR,
  build_id VARCHAR,
  counts_json JSON
);
