-- What entries say, in the spelling in which they are compared: the fold of memories groups by it.

-- class: derived
CREATE TABLE statements (
  entry_id VARCHAR PRIMARY KEY,
  session_id VARCHAR NOT NULL,
  project VARCHAR,
  entry_type VARCHAR NOT NULL,
  statement VARCHAR NOT NULL,             -- the words of the title, or of the first quote where the title was cut
  form BIGINT NOT NULL,                   -- hash of what statements that say the same in as many words have in common
  shorter_forms BIGINT[] NOT NULL         -- the same of it without each one word that it may have more than another
);
