-- The log of several machines, and nothing else: every other table is each machine's own.
-- Rows are what the store's file holds, with the same seq and links: JSON as the text that was written, for checksums cover its
-- spelling, and moments as microseconds since 1970 in UTC, as they are hashed. seq is counted under a lock, never by a sequence.

CREATE SCHEMA memory_log;

CREATE TABLE memory_log.schema_migrations (
  version integer PRIMARY KEY,
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE memory_log.log (
  is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
  store_id text NOT NULL,                 -- which log it is; its mirrors keep it
  epoch integer NOT NULL,                 -- another one when events were taken out: mirrors of the one before hold what is gone
  least_client integer NOT NULL,          -- the schema of a store's file that the newest program had that wrote here
  versions text                           -- the configured versions that all follow, as JSON; NULL until they are pinned
);

CREATE TABLE memory_log.events (
  seq bigint PRIMARY KEY,
  event_id text NOT NULL UNIQUE,
  dedupe_key text NOT NULL,
  ts bigint NOT NULL,
  event_type text NOT NULL,
  actor text NOT NULL,
  session_id text,
  payload_redacted text,
  sensitivity text,
  checksum text NOT NULL,
  build_id text,
  created_at bigint NOT NULL,
  occurred_at bigint,
  payload_version integer NOT NULL,
  causation_id text,
  stage_version text,
  chain_id text,
  basis_chains text[],
  telemetry_json text,
  project text,
  dagster_run_id text,
  payload_json text NOT NULL,
  link_hash bytea NOT NULL CHECK (octet_length(link_hash) = 32)
);

CREATE FUNCTION memory_log.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'events are appended, and never changed or removed';
END $$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON memory_log.events
FOR EACH STATEMENT EXECUTE FUNCTION memory_log.refuse_change();
