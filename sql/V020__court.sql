-- The court: what was heard of each session, the lessons that follow from all of them, and how they stand to each other.

-- The newest hearing of a session that may be read.
-- class: derived
CREATE TABLE cases (
  case_id VARCHAR PRIMARY KEY,
  session_id VARCHAR NOT NULL,
  project VARCHAR,
  backend VARCHAR NOT NULL,               -- embedded|model
  version VARCHAR NOT NULL,               -- of who heard it: detectors or prompts, judge, policy
  event_count INTEGER NOT NULL,
  claims INTEGER NOT NULL,
  selected INTEGER NOT NULL,
  deferred INTEGER NOT NULL,
  dropped INTEGER NOT NULL,               -- claims that the judge never saw
  revision_event_id VARCHAR NOT NULL,     -- the session_ingested that was heard
  opened_event_id VARCHAR NOT NULL,
  event_id VARCHAR NOT NULL,              -- of the judgement
  occurred_at TIMESTAMP NOT NULL          -- the session's own clock
);

-- class: derived
CREATE TABLE case_statements (
  event_id VARCHAR PRIMARY KEY,
  case_id VARCHAR NOT NULL,
  session_id VARCHAR NOT NULL,
  court_role VARCHAR NOT NULL,            -- prosecutor|defense|jury
  claims_json JSON NOT NULL,
  dropped_json JSON NOT NULL              -- how many claims were dropped, by the reason
);

-- class: derived
CREATE TABLE judgements (
  event_id VARCHAR PRIMARY KEY,
  case_id VARCHAR NOT NULL,
  session_id VARCHAR NOT NULL,
  policy_version VARCHAR NOT NULL,
  selected_json JSON NOT NULL,
  deferred_json JSON NOT NULL             -- each with the reason
);

-- A lesson as one case gives it; without one whose quotes the session does not say.
-- class: derived
CREATE TABLE accepted_lessons (
  claim_id VARCHAR PRIMARY KEY,
  lesson_id VARCHAR NOT NULL,
  case_id VARCHAR NOT NULL,
  session_id VARCHAR NOT NULL,
  project VARCHAR,
  kind VARCHAR NOT NULL,
  role VARCHAR NOT NULL,
  polarity VARCHAR NOT NULL,              -- do|dont
  severity VARCHAR NOT NULL,              -- low|medium|high|critical
  title VARCHAR NOT NULL,
  rule VARCHAR NOT NULL,
  trigger_text VARCHAR NOT NULL,          -- when it applies; empty where it always does
  exceptions_json JSON NOT NULL,
  confidence DOUBLE NOT NULL,
  occurred_at TIMESTAMP NOT NULL,
  event_id VARCHAR NOT NULL
);

-- class: derived
CREATE TABLE lesson_evidence (
  claim_id VARCHAR NOT NULL,
  ordinal INTEGER NOT NULL,
  session_id VARCHAR NOT NULL,
  part VARCHAR NOT NULL,                  -- failure|cause|remedy|order|praise|question
  case_event_id VARCHAR NOT NULL,
  message_index INTEGER NOT NULL,
  span_start INTEGER NOT NULL,            -- code points of the message, half open
  span_end INTEGER NOT NULL,
  quote VARCHAR NOT NULL,
  PRIMARY KEY (claim_id, ordinal)
);

-- class: derived
CREATE TABLE lessons (
  lesson_id VARCHAR PRIMARY KEY,
  role VARCHAR NOT NULL,
  polarity VARCHAR NOT NULL,
  kind VARCHAR NOT NULL,
  severity VARCHAR NOT NULL,
  title VARCHAR NOT NULL,
  rule VARCHAR NOT NULL,
  trigger_text VARCHAR NOT NULL,
  exceptions_json JSON NOT NULL,
  status VARCHAR NOT NULL,                -- active|contested|merged|superseded|retired
  reason VARCHAR NOT NULL,                -- why it does not stand
  by_lesson_id VARCHAR,                   -- the newer lesson that is why
  merged_json JSON NOT NULL,              -- the lessons that say the same
  claim_id VARCHAR NOT NULL,              -- of the newest case that gives it, whose words these are
  support_cases INTEGER NOT NULL,
  support_sessions INTEGER NOT NULL,
  helpful INTEGER NOT NULL,
  harmful INTEGER NOT NULL,
  confidence DOUBLE NOT NULL,
  project VARCHAR,                        -- where all its sessions are of one
  first_at TIMESTAMP NOT NULL,
  last_at TIMESTAMP NOT NULL
);

-- class: derived
CREATE TABLE lesson_links (
  lesson_id VARCHAR NOT NULL,             -- the newer one
  other_lesson_id VARCHAR NOT NULL,
  link VARCHAR NOT NULL,                  -- merges|supersedes|conflicts|coexists
  likeness DOUBLE NOT NULL,
  reason VARCHAR NOT NULL,
  PRIMARY KEY (lesson_id, other_lesson_id)
);

-- What people, or the system around the agents, could do better.
-- class: derived
CREATE TABLE improvements (
  claim_id VARCHAR PRIMARY KEY,
  improvement_id VARCHAR NOT NULL,
  case_id VARCHAR NOT NULL,
  session_id VARCHAR NOT NULL,
  project VARCHAR,
  target VARCHAR NOT NULL,                -- user|system
  severity VARCHAR NOT NULL,
  title VARCHAR NOT NULL,
  rule VARCHAR NOT NULL,
  confidence DOUBLE NOT NULL,
  occurred_at TIMESTAMP NOT NULL,
  event_id VARCHAR NOT NULL
);
