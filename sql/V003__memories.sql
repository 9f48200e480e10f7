-- What was remembered, and on which characters it rests.

-- class: derived
CREATE TABLE entries (
  entry_id VARCHAR PRIMARY KEY,
  created_ts TIMESTAMP NOT NULL,          -- when it was said
  entry_type VARCHAR NOT NULL,            -- decision|fact|preference|insight|task|reference
  title VARCHAR NOT NULL,
  content_json JSON NOT NULL,
  stage VARCHAR NOT NULL,                 -- raw|working|candidate|verified|certified
  status VARCHAR NOT NULL,                -- active|contested|deprecated|superseded
  superseded_by VARCHAR,
  build_id VARCHAR,
  evidence_json JSON NOT NULL,
  canonical_key VARCHAR NOT NULL,
  created_at TIMESTAMP NOT NULL,          -- when it was logged
  session_id VARCHAR NOT NULL,
  project VARCHAR,
  evidence_aligned BOOLEAN NOT NULL,
  confidence DOUBLE NOT NULL,
  message_index INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  source_event_id VARCHAR NOT NULL,
  memory_id VARCHAR,
  checker VARCHAR,                        -- who granted the stage, as in 'embedded 1'
  meta_json JSON NOT NULL                 -- promotionBlocked, promotionBlockReason, failedQuotes
);

-- class: derived
CREATE TABLE evidence_spans (
  span_id VARCHAR PRIMARY KEY,
  entry_id VARCHAR NOT NULL,
  ordinal INTEGER NOT NULL,
  session_id VARCHAR NOT NULL,
  event_id VARCHAR NOT NULL,              -- the entry_materialized event
  message_index INTEGER,                  -- null when the quote failed
  claimed_message_index INTEGER NOT NULL,
  quote VARCHAR NOT NULL,
  quote_hash VARCHAR NOT NULL,
  span_start INTEGER,
  span_end INTEGER,                       -- code points, half open
  segments_json JSON,
  matched_text VARCHAR,
  match_method VARCHAR NOT NULL,
  similarity DOUBLE,
  confidence DOUBLE NOT NULL,
  ambiguous BOOLEAN NOT NULL,
  alternative_count INTEGER NOT NULL,
  relocated BOOLEAN NOT NULL,
  critical BOOLEAN NOT NULL,
  failure_reason VARCHAR,
  aligner_version VARCHAR NOT NULL,
  CHECK (match_method IN ('exact', 'normalized', 'fuzzy', 'none')),
  CHECK (match_method <> 'exact' OR confidence = 1.0),
  CHECK (match_method <> 'normalized' OR (confidence >= 0.95 AND confidence < 1.0)),
  CHECK (match_method <> 'fuzzy' OR (confidence >= 0.85 AND confidence < 0.95)),
  CHECK (match_method = 'none' OR (span_start IS NOT NULL AND span_end > span_start))
);

-- Entries that say the same, with all their evidence.
-- class: derived
CREATE TABLE memories (
  memory_id VARCHAR PRIMARY KEY,          -- from the first entry in the order of the sessions' own clocks
  short_id VARCHAR NOT NULL,
  entry_type VARCHAR NOT NULL,
  title VARCHAR NOT NULL,
  project VARCHAR,
  canonical_key VARCHAR NOT NULL,
  stage VARCHAR NOT NULL,                 -- the highest of its entries'
  checker VARCHAR,
  first_entry_id VARCHAR NOT NULL,
  entry_count INTEGER NOT NULL,
  session_count INTEGER NOT NULL,
  first_said_at TIMESTAMP NOT NULL,
  last_said_at TIMESTAMP NOT NULL
);

-- Every short id that an entry of a memory could be cited by resolves to the memory that holds it now.
-- class: derived
CREATE TABLE memory_citations (
  entry_id VARCHAR PRIMARY KEY,
  short_id VARCHAR NOT NULL,
  memory_id VARCHAR NOT NULL,
  attempt INTEGER NOT NULL                -- how often it gave way to another with the same short id
);

-- class: derived
CREATE TABLE idris_checks (
  check_id VARCHAR PRIMARY KEY,
  session_id VARCHAR NOT NULL,
  event_id VARCHAR NOT NULL,
  checker VARCHAR NOT NULL,               -- idris2|embedded
  checker_version VARCHAR NOT NULL,
  accepted BOOLEAN NOT NULL,
  rules_failed_json JSON NOT NULL,
  modules_json JSON NOT NULL,
  checked_at TIMESTAMP NOT NULL
);

-- class: derived
CREATE TABLE promotions (
  promotion_id VARCHAR PRIMARY KEY,
  ts TIMESTAMP NOT NULL,
  target_kind VARCHAR NOT NULL,
  target_id VARCHAR NOT NULL,
  session_id VARCHAR NOT NULL,
  from_stage VARCHAR NOT NULL,
  to_stage VARCHAR NOT NULL,
  outcome VARCHAR NOT NULL,               -- promoted|rejected
  reason VARCHAR NOT NULL,
  policy_version VARCHAR NOT NULL,
  gates_json JSON NOT NULL,
  event_id VARCHAR NOT NULL,
  build_id VARCHAR
);
