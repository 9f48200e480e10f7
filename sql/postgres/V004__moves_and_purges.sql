-- What moving a log and purging one for all machines need.

ALTER TABLE memory_log.log ADD COLUMN moving text;  -- 'arriving <host_id>' or 'left <host_id>'; NULL: all may read and write

CREATE TABLE memory_log.mirrors (
  host_id text PRIMARY KEY,
  name text NOT NULL,                     -- what its owner calls the machine
  joined_epoch integer NOT NULL,          -- it never held what was taken out before
  joined_at timestamptz NOT NULL DEFAULT now()
);

-- Which machines told that they hold nothing any more of what was taken out; they are few among many.
CREATE INDEX mirror_purged ON memory_log.events (seq) WHERE event_type = 'mirror_purged';

-- ANALYZE keeps samples of columns in the server's own tables, from where no purge of ours takes them.
ALTER TABLE memory_log.events
  ALTER COLUMN event_id SET STATISTICS 0,
  ALTER COLUMN dedupe_key SET STATISTICS 0,
  ALTER COLUMN actor SET STATISTICS 0,
  ALTER COLUMN session_id SET STATISTICS 0,
  ALTER COLUMN payload_redacted SET STATISTICS 0,
  ALTER COLUMN sensitivity SET STATISTICS 0,
  ALTER COLUMN checksum SET STATISTICS 0,
  ALTER COLUMN build_id SET STATISTICS 0,
  ALTER COLUMN causation_id SET STATISTICS 0,
  ALTER COLUMN stage_version SET STATISTICS 0,
  ALTER COLUMN chain_id SET STATISTICS 0,
  ALTER COLUMN basis_chains SET STATISTICS 0,
  ALTER COLUMN telemetry_json SET STATISTICS 0,
  ALTER COLUMN project SET STATISTICS 0,
  ALTER COLUMN dagster_run_id SET STATISTICS 0,
  ALTER COLUMN payload_json SET STATISTICS 0,
  ALTER COLUMN link_hash SET STATISTICS 0;
