-- The one surface that search reads, the way to the vectors, and the ledger of builds.

-- class: derived
CREATE TABLE memory_units (
  unit_id VARCHAR PRIMARY KEY,
  unit_kind VARCHAR NOT NULL,             -- entry|task|passage
  source_id VARCHAR NOT NULL,             -- memory, task, or session and message
  title VARCHAR NOT NULL,
  summary VARCHAR NOT NULL,
  body VARCHAR NOT NULL,
  search_text VARCHAR NOT NULL,
  summary_tokens INTEGER NOT NULL,
  body_tokens INTEGER NOT NULL,
  entry_type VARCHAR,
  stage VARCHAR NOT NULL,
  status VARCHAR NOT NULL,
  confidence DOUBLE NOT NULL,
  project VARCHAR,
  session_id VARCHAR,                     -- null for what spans sessions
  message_index INTEGER,
  role VARCHAR,
  speaker VARCHAR,                        -- who says a passage, where the source names people
  occurred_at TIMESTAMP NOT NULL,
  citations_json JSON NOT NULL,
  content_hash VARCHAR NOT NULL
);

-- What remains to be written to the vectors; one row a unit and embedding version.
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
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  UNIQUE (item_kind, item_id, embedding_version)
);

-- class: derived
CREATE TABLE build_runs (
  build_id VARCHAR PRIMARY KEY,
  started_at TIMESTAMP NOT NULL,
  finished_at TIMESTAMP,
  extractor_model VARCHAR NOT NULL,
  extractor_prompt_hash VARCHAR NOT NULL,
  embedder_model VARCHAR NOT NULL,
  embedding_version VARCHAR NOT NULL,
  idris_version VARCHAR NOT NULL,
  schema_version VARCHAR NOT NULL,
  status VARCHAR NOT NULL,                -- running|success|failed
  error VARCHAR,
  dagster_run_id VARCHAR,
  versions_json JSON NOT NULL
);

CREATE VIEW v_tasks AS
SELECT entity_id AS task_id, canonical_key, title, stage, status AS entity_status, project,
       json_extract_string(current_json, '$.status') AS task_status,
       json_extract_string(current_json, '$.priority') AS priority,
       created_at, last_occurred_at, updated_at
FROM entities WHERE entity_type = 'task';

CREATE VIEW v_outbox_summary AS
SELECT embedding_version, item_kind, status, count(*) AS jobs, max(attempts) AS max_attempts
FROM vector_outbox GROUP BY ALL;
