"""Whether the tables and views of a store are the ones that the migrations make."""

from __future__ import annotations

import re
from functools import cache

import duckdb

from memory_assets.log.migrations import migrate, migrations

# Everything that a statement can be about, spelled in full. A view's text goes through the parser, which spells it as this
# version of DuckDB does, whichever version wrote it down.
_OBJECTS = r"""
SELECT 'table ' || table_name, string_agg(column_name || ' ' || data_type || if(is_nullable, '', ' NOT NULL')
  || coalesce(' DEFAULT ' || column_default, ''), ', ' ORDER BY column_index)
FROM duckdb_columns() WHERE NOT internal AND database_name = current_database() AND table_name IN
  (SELECT table_name FROM duckdb_tables() WHERE NOT internal AND database_name = current_database()) GROUP BY table_name
UNION ALL SELECT 'constraints of ' || table_name, string_agg(constraint_text, ', ' ORDER BY constraint_text)
FROM duckdb_constraints() WHERE database_name = current_database() GROUP BY table_name
UNION ALL SELECT 'view ' || view_name, CAST(json_serialize_sql(regexp_replace(sql, '^CREATE VIEW \w+ AS ', '')) AS VARCHAR)
FROM duckdb_views() WHERE NOT internal AND database_name = current_database()
UNION ALL SELECT 'index ' || index_name, coalesce(sql, '') FROM duckdb_indexes() WHERE database_name = current_database()
UNION ALL SELECT 'sequence ' || sequence_name, '' FROM duckdb_sequences() WHERE database_name = current_database()
UNION ALL SELECT 'macro ' || function_name, coalesce(macro_definition, '') FROM duckdb_functions()
WHERE NOT internal AND database_name = current_database()
UNION ALL SELECT 'schema ' || schema_name, '' FROM duckdb_schemas() WHERE NOT internal AND database_name = current_database()
"""


def schema_differences(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """What is missing, was added or is another than in a new store, each as ``view visible_events``; empty where nothing is."""
    found, wanted = _objects(connection), _wanted()
    differing = [name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name)]
    if "table schema_migrations" not in differing:
        applied = connection.execute("SELECT version, name, sha256 FROM schema_migrations ORDER BY version").fetchall()
        if applied != [(migration.version, migration.name, migration.sha256) for migration in migrations()]:
            differing.append("list schema_migrations")
    return sorted(differing)


@cache
def _wanted() -> dict[str, str]:
    with duckdb.connect(":memory:") as connection:
        migrate(connection)
        return _objects(connection)


def _objects(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    # Where in its text a word of a view stands is no part of what it says.
    return {
        name: re.sub(r'"query_location":\d+', "", text or "")
        for name, text in connection.execute(_OBJECTS).fetchall()
        if name != "schema main"
    }
