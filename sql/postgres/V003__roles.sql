-- Who may read what, by the name of a role of the server: all of it, or the projects that are named. Whoever owns the schema may
-- everything. `memory mirror grant` writes here and gives the rights that go with it.

CREATE TABLE memory_log.grants (
  role_name text NOT NULL,
  project text,                           -- NULL: all of them, and what belongs to none
  may_write boolean NOT NULL DEFAULT false,
  CHECK (project IS NULL OR NOT may_write)
);

-- Who wrote an event: the role that was logged in, by the server's word. No writer may give it.

ALTER TABLE memory_log.events ADD COLUMN written_by text NOT NULL DEFAULT session_user;

-- What is asked of the session's own role, whatever role it has set: with the rights of the owner, for readers see no grants.

CREATE FUNCTION memory_log.granted() RETURNS SETOF memory_log.grants
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT g.* FROM memory_log.grants g JOIN pg_catalog.pg_roles r ON r.rolname = g.role_name
  WHERE pg_catalog.pg_has_role(session_user, r.oid, 'USAGE')
$$;

CREATE FUNCTION memory_log.owns() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT pg_catalog.pg_has_role(session_user, n.nspowner, 'USAGE') FROM pg_catalog.pg_namespace n WHERE n.nspname = 'memory_log'
$$;

CREATE FUNCTION memory_log.reads_all() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT memory_log.owns() OR EXISTS (SELECT 1 FROM memory_log.granted() WHERE project IS NULL)
$$;

CREATE FUNCTION memory_log.may_write() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT memory_log.owns() OR EXISTS (SELECT 1 FROM memory_log.granted() WHERE may_write)
$$;

CREATE FUNCTION memory_log.read_projects() RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(DISTINCT project ORDER BY project) FILTER (WHERE project IS NOT NULL), '{}') FROM memory_log.granted()
$$;

-- An event that names no project is its session's: a word that forgets a session reaches whoever has the session.

CREATE INDEX events_of_projects ON memory_log.events (session_id, project)
WHERE event_type = 'session_ingested' AND project IS NOT NULL;

CREATE FUNCTION memory_log.reads_session(wanted text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT 1 FROM memory_log.events e WHERE e.event_type = 'session_ingested' AND e.session_id = wanted
    AND e.project = ANY (memory_log.read_projects()))
$$;

ALTER TABLE memory_log.events ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON memory_log.events FOR SELECT USING (
  (SELECT memory_log.reads_all())
  OR project = ANY ((SELECT memory_log.read_projects())::text[])
  OR (project IS NULL AND session_id IS NOT NULL AND memory_log.reads_session(session_id))
);

CREATE POLICY appending ON memory_log.events FOR INSERT WITH CHECK ((SELECT memory_log.may_write()));
