"""Which calls of tools change files, commit or failed, in SQL; ``sessions.tool_calls`` reads the same from their text."""

from __future__ import annotations

from typing import Final

CHANGES_FILES: Final = """(regexp_matches(c.tool_name,
    '(?i)(^|[^a-z])(edit|multi_?edit|notebook_?edit|write|patch|replace|str_replace|create_file)([^a-z]|$)')
  AND NOT regexp_matches(c.tool_name, '(?i)todo|write_stdin|slack|github|gitlab|jira|notion|memor|mail|message|comment|issue')
  OR regexp_matches(c.tool_name, '(?i)shell|bash|exec|terminal|command') AND contains(left(c.text, 200), 'apply_patch'))"""
"""Whether the call ``c`` of ``messages`` is one that changes files where it does not fail, in SQL."""
FAILED: Final = """EXISTS (SELECT 1 FROM messages r WHERE r.session_id = c.session_id AND r.kind = 'tool_result' AND r.is_error
  AND r.tool_use_id = c.tool_use_id)"""
"""Whether the call ``c`` of ``messages`` failed, in SQL."""
SHOWS_COMMIT: Final = """kind = 'tool_result' AND NOT is_error AND contains(text, ' changed')
  AND regexp_matches(text, '[0-9a-f]{7,40}\\] ')"""
"""Whether a message may show a commit that was made, in SQL."""
