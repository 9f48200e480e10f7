-- A session that was forgotten can be wanted back: the last word about it holds.

-- Nothing of a session before this is to be read.
DROP VIEW forgotten_sessions;
CREATE VIEW forgotten_sessions AS
SELECT session_id, max(seq) AS seq FROM events WHERE event_type IN ('session_forgotten', 'session_unforgotten')
GROUP BY session_id HAVING arg_max(event_type, seq) = 'session_forgotten';

-- Histories that a later one replaced, or that were forgotten. Few sessions have more than one such mark.
DROP VIEW hidden_chains;
CREATE VIEW hidden_chains AS
WITH marks AS (
  SELECT session_id, seq FROM events WHERE event_type = 'session_ingested' AND event_id = chain_id
  UNION ALL SELECT session_id, seq FROM forgotten_sessions
), marked AS (
  SELECT session_id, max(seq) AS seq FROM marks GROUP BY session_id HAVING count(*) > 1
)
SELECT r.chain_id FROM events r JOIN marked m USING (session_id)
WHERE r.event_type = 'session_ingested' AND r.event_id = r.chain_id AND r.seq < m.seq;
