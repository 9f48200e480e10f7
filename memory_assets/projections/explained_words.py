"""Words that the messages explain by themselves: ``배포(deploy)`` says what the Korean word is in English."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.text.bracketed import explained

if TYPE_CHECKING:
    import duckdb

# Few messages have such a bracket: the others are not read.
_SAID = """
SELECT session_id, message_index, text FROM messages
WHERE kind = 'said' AND session_id IN (SELECT session_id FROM affected)
  AND regexp_matches(text, '[\uac00-\ud7a3]\\([a-z]|[a-z]\\([\uac00-\ud7a3]')
ORDER BY session_id, message_index
"""


def fold_explained_words(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold what the scope's messages explain anew; whoever calls has removed the old rows."""
    import pyarrow as pa

    rows = [
        (session_id, index, korean, english)
        for session_id, index, text in connection.execute(_SAID).fetchall()
        for korean, english in sorted(set(explained(text)))
    ]
    if not rows:
        return
    session_ids, indexes, korean_words, english_words = zip(*rows, strict=True)
    table = pa.table(
        {
            "session_id": session_ids,
            "message_index": pa.array(indexes, pa.int32()),
            "korean": korean_words,
            "english": english_words,
        }
    )
    connection.register("new_explained", table)
    connection.execute("INSERT INTO explained_words BY NAME SELECT * FROM new_explained")
    connection.unregister("new_explained")
