-- Vectors that one machine made, for all others that read everything: a text is embedded once. Whoever reads some projects alone
-- has no right to them, for a vector tells of its text. A purge empties the table.

CREATE TABLE memory_log.vectors (
  fingerprint text NOT NULL,              -- of the model and of all that its vectors depend on
  text_hash text NOT NULL,
  vector bytea NOT NULL,                  -- float32, little-endian
  PRIMARY KEY (fingerprint, text_hash)
);

-- No samples of the column in the server's own tables.
ALTER TABLE memory_log.vectors
  ALTER COLUMN text_hash SET STATISTICS 0,
  ALTER COLUMN vector SET STATISTICS 0,
  ALTER COLUMN vector SET STORAGE EXTERNAL; -- numbers do not become smaller

-- Machines of which a person said that they will not come back; they are few among many.
CREATE INDEX mirror_retired ON memory_log.events (seq) WHERE event_type = 'mirror_retired';

-- Roles that were granted before may what they would be granted now.
DO $$
DECLARE granted record;
BEGIN
  FOR granted IN
    SELECT role_name, bool_or(may_write) AS may_write FROM memory_log.grants
    JOIN pg_catalog.pg_roles ON rolname = role_name WHERE project IS NULL GROUP BY role_name
  LOOP
    EXECUTE format('GRANT SELECT ON memory_log.vectors TO %I', granted.role_name);
    IF granted.may_write THEN
      EXECUTE format('GRANT INSERT ON memory_log.vectors TO %I', granted.role_name);
    END IF;
  END LOOP;
END $$;
