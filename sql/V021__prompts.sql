-- The prompts of roles in all their versions, and what was proposed for them.

-- A role's versions count from 1 in the order of the log; the last one is the active one.
-- class: derived
CREATE TABLE role_prompts (
  role VARCHAR NOT NULL,
  version INTEGER NOT NULL,
  prompt VARCHAR NOT NULL,
  sha256 VARCHAR NOT NULL,                -- of the prompt
  is_active BOOLEAN NOT NULL,
  cause VARCHAR NOT NULL,                 -- seed|update|rollback
  update_id VARCHAR,                      -- of an update the proposal that was applied
  rolled_back_to INTEGER,                 -- of a rollback the version whose text it has
  activated_by VARCHAR NOT NULL,
  activated_at TIMESTAMP NOT NULL,
  written_to VARCHAR,                     -- the file that it was written into last
  written_at TIMESTAMP,
  event_id VARCHAR NOT NULL,
  PRIMARY KEY (role, version)
);

-- class: derived
CREATE TABLE prompt_updates (
  update_id VARCHAR PRIMARY KEY,
  role VARCHAR NOT NULL,
  status VARCHAR NOT NULL,                -- proposed|approved|rejected|applied
  prompt VARCHAR NOT NULL,
  sha256 VARCHAR NOT NULL,                -- of the prompt
  base_sha256 VARCHAR NOT NULL,           -- of the version that it was made from
  reason VARCHAR NOT NULL,
  lesson_ids VARCHAR[] NOT NULL,
  proposed_by VARCHAR NOT NULL,
  proposed_at TIMESTAMP NOT NULL,
  reviewed_by VARCHAR,                    -- the last word before it was applied
  reviewed_at TIMESTAMP,
  note VARCHAR NOT NULL,
  applied_version INTEGER,
  applied_by VARCHAR,
  applied_at TIMESTAMP,
  event_id VARCHAR NOT NULL
);
