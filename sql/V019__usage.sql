-- How often a unit was shown, opened and cited is folded from events; what was counted before waits to become one.

DROP VIEW v_unit_standing;

-- What was counted before usage was events: the next one that counts appends it and leaves this empty.
-- class: operational
CREATE TABLE usage_before_events (
  unit_kind VARCHAR NOT NULL,
  source_id VARCHAR NOT NULL,
  shown INTEGER NOT NULL,
  first_at TIMESTAMP NOT NULL,
  last_at TIMESTAMP NOT NULL
);
INSERT INTO usage_before_events SELECT * FROM unit_usage;

DROP TABLE unit_usage;
DROP TABLE usage_spools;

-- class: derived
CREATE TABLE unit_usage (
  unit_kind VARCHAR NOT NULL,
  source_hash VARCHAR NOT NULL,           -- md5 of memory_units.source_id: it outlives the unit, and names none that is forgotten
  shown INTEGER NOT NULL,                 -- delivered as a hit, or in a context
  opened INTEGER NOT NULL,                -- looked at in full
  cited INTEGER NOT NULL,                 -- an answer quotes words of it
  first_at TIMESTAMP NOT NULL,            -- of all three
  last_at TIMESTAMP NOT NULL,
  PRIMARY KEY (unit_kind, source_hash)
);

-- The days (UTC) on which it was any of these.
-- class: derived
CREATE TABLE unit_usage_days (
  unit_kind VARCHAR NOT NULL,
  source_hash VARCHAR NOT NULL,
  day DATE NOT NULL,
  PRIMARY KEY (unit_kind, source_hash, day)
);

CREATE VIEW v_unit_standing AS
SELECT u.unit_id, u.unit_kind, u.source_id, coalesce(any_value(g.shown), 0) AS shown,
  count(f.event_id) FILTER (f.signal = 'used') AS used, count(f.event_id) FILTER (f.signal = 'helpful') AS helpful,
  count(f.event_id) FILTER (f.signal = 'wrong') AS wrong, max(f.said_at) AS last_feedback_at
FROM memory_units u
LEFT JOIN unit_usage g ON g.unit_kind = u.unit_kind AND g.source_hash = md5(u.source_id)
LEFT JOIN unit_feedback f ON f.unit_kind = u.unit_kind AND f.source_id = u.source_id
GROUP BY u.unit_id, u.unit_kind, u.source_id;
