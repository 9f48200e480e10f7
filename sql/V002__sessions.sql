-- What came in.

-- One row a file version that was read.
-- class: derived
CREATE TABLE source_files (
  uri VARCHAR NOT NULL,
  file_hash VARCHAR NOT NULL,
  source_format VARCHAR,
  outcome VARCHAR NOT NULL,               -- taken|refused
  byte_length BIGINT NOT NULL,
  session_ids VARCHAR[] NOT NULL,
  defect_count INTEGER NOT NULL,
  defects_json JSON NOT NULL,
  registered_at TIMESTAMP NOT NULL,
  PRIMARY KEY (uri, file_hash)
);

-- class: derived
CREATE TABLE sessions (
  session_id VARCHAR PRIMARY KEY,
  revision INTEGER NOT NULL,
  source_kind VARCHAR NOT NULL,
  source_id VARCHAR NOT NULL,
  source_uri VARCHAR,                     -- the file last taken
  source_uris VARCHAR[] NOT NULL,
  content_hash VARCHAR NOT NULL,
  parser_version VARCHAR NOT NULL,
  project VARCHAR,
  cwd VARCHAR,
  git_branch VARCHAR,
  title VARCHAR,
  lang VARCHAR,                           -- ko|en|mixed
  started_at TIMESTAMP NOT NULL,
  ended_at TIMESTAMP NOT NULL,
  message_count INTEGER NOT NULL,
  char_len BIGINT NOT NULL,
  ingest_event_id VARCHAR NOT NULL,
  chain_id VARCHAR NOT NULL,
  status VARCHAR NOT NULL,                -- the furthest stage reached, or quarantined
  redactions_json JSON NOT NULL
);

-- class: derived
CREATE TABLE messages (
  session_id VARCHAR NOT NULL,
  message_index INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  message_uid VARCHAR NOT NULL,
  role VARCHAR NOT NULL,                  -- user|assistant|tool|system
  kind VARCHAR NOT NULL,                  -- said|thinking|tool_call|tool_result|injected
  name VARCHAR,
  ts TIMESTAMP NOT NULL,
  text VARCHAR NOT NULL,                  -- the masked text that spans index, in code points
  text_hash VARCHAR NOT NULL,
  char_len INTEGER NOT NULL,
  tool_name VARCHAR,
  tool_use_id VARCHAR,
  sidechain BOOLEAN NOT NULL,
  is_error BOOLEAN NOT NULL,
  event_id VARCHAR NOT NULL,
  PRIMARY KEY (session_id, message_index)
);

-- Sessions that a stage put aside, until the stage succeeds.
-- class: derived
CREATE TABLE quarantine (
  session_id VARCHAR NOT NULL,
  stage VARCHAR NOT NULL,
  error_code VARCHAR NOT NULL,
  detail VARCHAR NOT NULL,
  uri VARCHAR,
  attempts INTEGER NOT NULL,
  event_id VARCHAR NOT NULL,
  quarantined_at TIMESTAMP NOT NULL,
  PRIMARY KEY (session_id, stage)
);
