-- Tasks, conditions and artifacts: what sessions claim of them, what is recognised again, and what they add up to.
-- The tables of claims are derived: they are folded anew from the log.

DROP TABLE task_claims;

-- One row for each thing that an entry says of a task: most say one, a todo list says each status that it had.
-- class: derived
CREATE TABLE task_claims (
  claim_id VARCHAR PRIMARY KEY,           -- the entry's id; of a later status of a todo list `<entry id>#<step>`
  entry_id VARCHAR NOT NULL,
  project_key VARCHAR NOT NULL,           -- the project, or `default`: the scope in which a task is recognised
  project VARCHAR,
  name VARCHAR NOT NULL,                  -- the title's normal form, by which it is recognised
  title VARCHAR NOT NULL,                 -- without what it says of its status
  status VARCHAR,
  priority VARCHAR,
  blocked_by VARCHAR[] NOT NULL,
  blocker_names VARCHAR[] NOT NULL,       -- their normal forms, one a text; empty for one that names an artifact or an id
  evidence_aligned BOOLEAN NOT NULL,
  sound BOOLEAN NOT NULL,                 -- every quote found and none flagged: what it says of blockers replaces
  stage VARCHAR NOT NULL,
  contested BOOLEAN NOT NULL,
  occurred_at TIMESTAMP NOT NULL,
  session_id VARCHAR NOT NULL,
  chain_id VARCHAR NOT NULL,
  message_index INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  step INTEGER NOT NULL,
  evidence_ordinal INTEGER,               -- the quote that carries it; null where that was not found
  source_event_id VARCHAR NOT NULL        -- the entry_materialized event
);

-- The names that claims, blockers and people use in a project, and by what another one like it is looked up.
-- class: derived
CREATE TABLE task_names (
  project_key VARCHAR NOT NULL,
  name VARCHAR NOT NULL,
  task_id VARCHAR NOT NULL,               -- the id of a task, and of a condition, with this name
  condition_id VARCHAR NOT NULL,
  placeholder_id VARCHAR NOT NULL,        -- the id of the condition that stands for what the task does not say it waits for
  name_hash VARCHAR NOT NULL,             -- what `task_titles_alike` calls it by
  lexical_keys BIGINT[] NOT NULL,         -- names that may be taken for each other by their words share one
  tokens BIGINT[] NOT NULL,               -- hashes of its words, for suggestions
  PRIMARY KEY (project_key, name)
);

-- Pairs of names that may be taken for each other, of those in use by their words, of any by what the visible
-- `task_titles_alike` of the configured embedding version say.
-- class: derived
CREATE TABLE name_likenesses (
  project_key VARCHAR NOT NULL,
  one VARCHAR NOT NULL,                   -- hashes of the names, the smaller first
  other VARCHAR NOT NULL,
  method VARCHAR NOT NULL,                -- lexical|vector
  similarity DOUBLE NOT NULL,
  PRIMARY KEY (project_key, one, other, method)
);

-- The outcomes in force: what `entities` and `edges` are folded from, and the history of each task.
-- class: derived
CREATE TABLE task_outcomes (
  event_id VARCHAR PRIMARY KEY,
  entity_id VARCHAR NOT NULL,
  entity_type VARCHAR NOT NULL,
  project_key VARCHAR NOT NULL,
  name VARCHAR NOT NULL,                  -- the name whose items it came of
  event_type VARCHAR NOT NULL,
  place INTEGER NOT NULL,                 -- in the entity's history, from 0
  source_id VARCHAR NOT NULL,             -- the claim, or the event of a person's word
  session_id VARCHAR,
  message_index INTEGER,
  occurred_at TIMESTAMP NOT NULL
);

-- Names under which outcomes follow that are not in the log yet: the stage projected appends them.
-- class: derived
CREATE TABLE task_names_due (
  project_key VARCHAR NOT NULL,
  name VARCHAR NOT NULL,
  missing INTEGER NOT NULL,               -- how many outcomes
  PRIMARY KEY (project_key, name)
);

-- What people said of tasks and conditions.
-- class: derived
CREATE TABLE task_words (
  event_id VARCHAR PRIMARY KEY,
  event_type VARCHAR NOT NULL,
  entity_id VARCHAR NOT NULL,
  other_id VARCHAR,                       -- of a merge the entity that goes on, of a condition what it was resolved to
  said_by VARCHAR NOT NULL,
  note VARCHAR NOT NULL,
  occurred_at TIMESTAMP NOT NULL,
  payload_json JSON NOT NULL              -- the event's
);

-- Pull requests, issues, addresses, files and commits that quotes name.
-- class: derived
CREATE TABLE artifact_references (
  entry_id VARCHAR NOT NULL,
  place INTEGER NOT NULL,                 -- among the entry's references, from 0
  canonical_key VARCHAR NOT NULL,
  artifact_id VARCHAR NOT NULL,
  artifact_kind VARCHAR NOT NULL,         -- url|jira|gh_issue|gh_pr|file|commit
  title VARCHAR NOT NULL,
  raw VARCHAR NOT NULL,
  is_blocker BOOLEAN NOT NULL,            -- named as what a task waits for
  settles BOOLEAN NOT NULL,               -- said to be merged, closed or done
  project VARCHAR,
  session_id VARCHAR NOT NULL,
  chain_id VARCHAR NOT NULL,
  occurred_at TIMESTAMP NOT NULL,
  message_index INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,               -- of the entry
  span_start INTEGER,                     -- of the naming text in its message; null where only the title names it
  span_end INTEGER,
  match_method VARCHAR NOT NULL,
  source_event_id VARCHAR NOT NULL,
  PRIMARY KEY (entry_id, place)
);

-- Tasks that wait for each other in a circle.
-- class: derived
CREATE TABLE blocker_cycles (
  cycle_id VARCHAR PRIMARY KEY,
  task_ids VARCHAR[] NOT NULL,
  event_id VARCHAR                        -- blocker_cycle_detected; null until the stage projected has logged it
);

-- Vectors of names, so that none is embedded twice; a name that has one was compared with those of its project. Lost, they
-- are made again.
-- class: operational
CREATE TABLE title_vectors (
  project_key VARCHAR NOT NULL,
  name_hash VARCHAR NOT NULL,
  embedding_version VARCHAR NOT NULL,
  vector FLOAT[] NOT NULL,
  PRIMARY KEY (project_key, name_hash, embedding_version)
);

-- What a task waits for, behind what its conditions turned out to be (requirements G-120). What is settled is shown, not hidden.
-- `UNION` ends every circle; a chain of conditions is followed eight steps.
CREATE VIEW v_task_blockers_effective AS
WITH RECURSIVE followed(task_id, rel_type, declared_id, meta_json, current_id, current_type, depth) AS (
  SELECT e.src_id, e.rel_type, e.dst_id, e.meta_json, e.dst_id, b.entity_type, 0
  FROM edges e JOIN entities b ON b.entity_id = e.dst_id WHERE e.rel_type IN ('blocked_by', 'blocked_by_suggested')
  UNION
  SELECT f.task_id, f.rel_type, f.declared_id, f.meta_json, e.dst_id, b.entity_type, f.depth + 1
  FROM followed f JOIN edges e ON e.src_id = f.current_id AND e.rel_type = 'resolves_to' AND e.dst_type = 'entity'
  JOIN entities b ON b.entity_id = e.dst_id
  WHERE f.current_type = 'condition' AND f.depth < 8
), ends AS (
  SELECT * FROM followed QUALIFY row_number() OVER (PARTITION BY task_id, rel_type, declared_id ORDER BY depth DESC, current_id) = 1
)
SELECT f.task_id, t.title AS task_title, f.rel_type = 'blocked_by_suggested' AS is_suggested,
  f.declared_id AS declared_blocker_id, d.entity_type AS declared_kind, d.title AS declared_blocker_title,
  f.current_id AS effective_blocker_id, b.entity_type AS effective_kind, b.title AS effective_title,
  b.current_json ->> '$.status' AS effective_status, f.meta_json ->> '$.raw_text' AS raw_text,
  coalesce(CAST(d.current_json ->> '$.auto_placeholder' AS BOOLEAN), false) AS auto_placeholder, f.depth > 0 AS is_resolved,
  coalesce((d.current_json ->> '$.status') = 'satisfied', false)
    OR coalesce((b.current_json ->> '$.status') IN ('done', 'cancelled', 'satisfied', 'settled'), false) AS is_cleared
FROM ends f JOIN entities t ON t.entity_id = f.task_id JOIN entities d ON d.entity_id = f.declared_id
JOIN entities b ON b.entity_id = f.current_id;

-- Nothing but suggestions says what these wait for (requirements G-122); a placeholder says nothing. The blockers are followed
-- once: asked for each task anew, 10,000 of them take more memory than there is.
CREATE VIEW v_tasks_only_suggested AS
SELECT * FROM v_tasks WHERE task_id IN (
  SELECT task_id FROM v_task_blockers_effective GROUP BY task_id
  HAVING bool_or(is_suggested) AND NOT bool_or(NOT is_suggested AND NOT auto_placeholder));

CREATE VIEW v_tasks_unknown_placeholder AS
SELECT * FROM v_tasks WHERE task_id IN (SELECT task_id FROM v_task_blockers_effective WHERE NOT is_suggested AND auto_placeholder);

CREATE VIEW v_conditions_resolved AS
SELECT c.entity_id AS condition_id, c.title, c.project, c.current_json ->> '$.status' AS status, e.dst_id AS resolved_to_id,
  d.entity_type AS resolved_to_kind, d.title AS resolved_to_title, e.source_event_id, c.updated_at AS resolved_at
FROM entities c LEFT JOIN edges e ON e.src_id = c.entity_id AND e.rel_type = 'resolves_to'
LEFT JOIN entities d ON d.entity_id = e.dst_id
WHERE c.entity_type = 'condition' AND (c.current_json ->> '$.status') IN ('satisfied', 'resolved');

CREATE VIEW v_task_history AS
SELECT o.entity_id AS task_id, o.place, e.seq, e.event_id, e.ts, e.occurred_at, e.event_type, e.actor, o.session_id,
  o.message_index, o.source_id, e.payload_json
FROM task_outcomes o JOIN events e USING (event_id) WHERE o.entity_type = 'task';
