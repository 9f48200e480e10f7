-- Every event is tied to the one before it: whoever changes, removes, swaps or inserts one breaks the links behind it.

-- sha256 of the link before and of all other columns of this event (32 bytes). The events that are here already get theirs in this
-- migration's transaction, from `log/links.py`; none is without.
ALTER TABLE events ADD COLUMN link_hash BLOB;

-- Folds read what events say, not how they are tied.
DROP VIEW visible_events;
CREATE VIEW visible_events AS
SELECT e.* EXCLUDE (link_hash) FROM events e LEFT JOIN forgotten_sessions f ON f.session_id = e.session_id
WHERE (f.seq IS NULL OR e.seq >= f.seq)
  AND (e.chain_id IS NULL OR e.chain_id NOT IN (SELECT chain_id FROM hidden_chains))
  AND (e.basis_chains IS NULL OR e.event_id NOT IN (SELECT event_id FROM hidden_outcomes));
