-- What looks across sessions: who contradicts whom, how far a memory is trusted after that, and what was decided on what.

-- What the session alone carries; `stage` is what is shown (a contested entry is shown as candidate).
ALTER TABLE entries ADD COLUMN granted_stage VARCHAR;    -- null until a fold has seen the entry: then it is `stage`

ALTER TABLE memories ADD COLUMN status VARCHAR DEFAULT 'active';  -- active|contested|deprecated
ALTER TABLE memories ADD COLUMN superseded_by VARCHAR;  -- of a deprecated one: the memory that was kept
-- Every gate to certified is open; `due` until the promotion is in the log, then `granted`.
ALTER TABLE memories ADD COLUMN certification VARCHAR;

ALTER TABLE statements ADD COLUMN said VARCHAR;         -- the text that the statement was made of
ALTER TABLE statements ADD COLUMN clash_forms BIGINT[]; -- hashes: statements that contradict each other share one

-- Two sides that contradict each other: memories, or of one task those who say done and those who say cancelled.
-- class: derived
CREATE TABLE conflicts (
  conflict_id VARCHAR PRIMARY KEY,
  project VARCHAR,
  conflict_type VARCHAR NOT NULL,         -- different_value|negation|opposite|status_clash
  reason VARCHAR NOT NULL,
  first_older_id VARCHAR NOT NULL,        -- the first entry of each side, the earlier one first
  first_newer_id VARCHAR NOT NULL,
  older_id VARCHAR NOT NULL,              -- the newest entry of the side that was said last longer ago
  newer_id VARCHAR NOT NULL,
  older_memory_id VARCHAR NOT NULL,
  newer_memory_id VARCHAR NOT NULL,
  older_entries VARCHAR[] NOT NULL,
  newer_entries VARCHAR[] NOT NULL,
  status VARCHAR NOT NULL,                -- open|resolved
  detected_at TIMESTAMP NOT NULL,         -- when the other side was first said
  resolved_at TIMESTAMP,
  resolution VARCHAR,                     -- keep_newer|keep_older|both|merge
  resolved_by VARCHAR,
  note VARCHAR,
  event_id VARCHAR                        -- conflict_detected; null until the stage projected has logged it
);

-- class: derived
CREATE TABLE decisions (
  decision_id VARCHAR PRIMARY KEY,
  ts TIMESTAMP NOT NULL,                  -- when it was taken
  actor VARCHAR NOT NULL,
  action VARCHAR NOT NULL,
  outcome_json JSON,
  confidence DOUBLE,
  build_id VARCHAR,
  created_at TIMESTAMP NOT NULL,          -- when it was recorded
  project VARCHAR,
  caused_by VARCHAR,
  checker VARCHAR NOT NULL,               -- who proved that it cites what it may cite
  event_id VARCHAR NOT NULL
);

-- class: derived
CREATE TABLE decision_evidence (
  id VARCHAR PRIMARY KEY,
  decision_id VARCHAR NOT NULL,
  evidence_kind VARCHAR NOT NULL,         -- entry
  evidence_id VARCHAR NOT NULL,
  evidence_stage VARCHAR NOT NULL,        -- as it was when the decision was recorded
  role VARCHAR NOT NULL,
  said_at TIMESTAMP NOT NULL,
  CHECK (evidence_stage IN ('verified', 'certified'))
);

-- A decision whose evidence is gone, contested, set aside or below verified by now is weakened.
CREATE VIEW v_decisions AS
SELECT d.*, count(e.id) AS evidence_count, coalesce(count(e.id) FILTER (
    n.entry_id IS NULL OR n.status <> 'active' OR n.stage NOT IN ('verified', 'certified')), 0) AS weakened_count
FROM decisions d LEFT JOIN decision_evidence e USING (decision_id) LEFT JOIN entries n ON n.entry_id = e.evidence_id
GROUP BY ALL;
