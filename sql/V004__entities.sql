-- Tasks: what sessions claim of them, and what follows from all claims together.

-- class: derived
CREATE TABLE task_claims (
  claim_id VARCHAR PRIMARY KEY,           -- the entry's id
  canonical_key VARCHAR NOT NULL,
  project VARCHAR,
  title VARCHAR NOT NULL,
  status VARCHAR,
  priority VARCHAR,
  blocked_by VARCHAR[] NOT NULL,
  evidence_aligned BOOLEAN NOT NULL,
  occurred_at TIMESTAMP NOT NULL,
  session_id VARCHAR NOT NULL,
  chain_id VARCHAR NOT NULL,
  message_index INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  source_event_id VARCHAR NOT NULL        -- the entry_materialized event
);

-- class: derived
CREATE TABLE entities (
  entity_id VARCHAR PRIMARY KEY,
  entity_type VARCHAR NOT NULL,           -- task|condition|artifact
  canonical_key VARCHAR NOT NULL,
  title VARCHAR NOT NULL,
  stage VARCHAR NOT NULL,
  status VARCHAR NOT NULL,                -- active|contested|deprecated|superseded
  current_json JSON NOT NULL,
  title_norm VARCHAR NOT NULL,
  search_text VARCHAR NOT NULL,
  created_at TIMESTAMP NOT NULL,          -- when it was first claimed
  updated_at TIMESTAMP NOT NULL,
  project VARCHAR,
  last_occurred_at TIMESTAMP NOT NULL,
  basis VARCHAR NOT NULL                  -- hash of the ordered claims that the outcomes rest on
);

-- class: derived
CREATE TABLE entity_aliases (
  entity_type VARCHAR NOT NULL,
  canonical_key VARCHAR NOT NULL,
  entity_id VARCHAR NOT NULL,
  is_primary BOOLEAN NOT NULL,
  created_at TIMESTAMP NOT NULL,
  PRIMARY KEY (entity_type, canonical_key)
);

-- class: derived
CREATE TABLE edges (
  edge_id VARCHAR PRIMARY KEY,            -- from (src, rel, dst)
  src_type VARCHAR NOT NULL,
  src_id VARCHAR NOT NULL,
  rel_type VARCHAR NOT NULL,
  dst_type VARCHAR NOT NULL,
  dst_id VARCHAR NOT NULL,
  meta_json JSON NOT NULL,
  created_at TIMESTAMP NOT NULL,
  source_event_id VARCHAR NOT NULL
);
