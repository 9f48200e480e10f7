"""What sessions changed: the files that tools wrote, and the commits that a terminal showed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.unit_tables.changing_calls import CHANGES_FILES, FAILED, SHOWS_COMMIT
from memory_assets.projections.unit_tables.unit_facets import below
from memory_assets.queries.digest_quotes import quote_of
from memory_assets.results.digest import ChangedFileV1, MadeCommitV1
from memory_assets.sessions.tool_calls import commits_made, files_changed

if TYPE_CHECKING:
    import duckdb

_READ = 12_000
"""Characters of a call or a result that are read."""

_CALLS = f"""
SELECT c.session_id, s.cwd, c.message_index, c.tool_name, left(c.text, {_READ}), coalesce(c.name, c.tool_name, c.role), c.ts
FROM messages c JOIN sessions s USING (session_id)
WHERE c.session_id IN {IN_LIST} AND c.kind = 'tool_call' AND {CHANGES_FILES} AND NOT {FAILED}
ORDER BY c.session_id, c.message_index
"""
_RESULTS = f"""
SELECT session_id, message_index, left(text, {_READ}), coalesce(name, tool_name, role), ts FROM messages
WHERE session_id IN {IN_LIST} AND {SHOWS_COMMIT}
ORDER BY session_id, message_index
"""


def changed_files(connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str]) -> dict[str, list[ChangedFileV1]]:
    """The files that tools of each session wrote, the one written most first; seen from the folder that it worked in."""
    found: dict[str, dict[str, ChangedFileV1]] = {}
    for session_id, folder, index, tool, text, speaker, ts in fetch(connection, _CALLS, [json_list(session_ids)]):
        for path in files_changed(tool, text):
            start = text.index(path)  # it was read there
            quote = quote_of(session_id, index, f"[[{start}, {start + len(path)}]]", path, speaker, ts)
            files = found.setdefault(session_id, {})
            shown = below(path, folder)
            files[shown] = ChangedFileV1(path=shown, times=files[shown].times + 1 if shown in files else 1, quote=quote)
    return {
        session_id: sorted(files.values(), key=lambda file: (-file.times, file.path)) for session_id, files in found.items()
    }


def made_commits(connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str]) -> dict[str, list[MadeCommitV1]]:
    """The commits that were made in each session, in their order, each once."""
    found: dict[str, dict[str, MadeCommitV1]] = {}
    for session_id, index, text, speaker, ts in fetch(connection, _RESULTS, [json_list(session_ids)]):
        for match in commits_made(text):
            start, end = match.start(), match.end("subject")
            quote = quote_of(session_id, index, f"[[{start}, {end}]]", text[start:end], speaker, ts)
            made = MadeCommitV1(commit=match["commit"], subject=match["subject"].strip(), quote=quote)
            found.setdefault(session_id, {}).setdefault(made.commit, made)
    return {session_id: list(commits.values()) for session_id, commits in found.items()}
