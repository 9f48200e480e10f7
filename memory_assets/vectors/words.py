"""The table of words: every unit as it is searched by what it says. No model has a part in it.

So it is written as soon as a session is folded, stays as it is when the model changes, and is there where no model can be
loaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memory_assets.text.lexical_text import query_text
from memory_assets.vectors.driver_errors import PATIENCE
from memory_assets.vectors.lookup import KnownRows, holds_any, lexical_hits, weighted
from memory_assets.vectors.rows import OWN_TEXT, mark_of, word_rows, word_schema
from memory_assets.vectors.table import UnitTable
from memory_assets.vectors.units import LexicalHits, Unit, UnitFilter

if TYPE_CHECKING:
    import pyarrow as pa

_Seen = TypeVar("_Seen")

_LONGEST_WORD = 24
# To look through so many takes 25 ms (measured: 5 ms for 4,000).
_LOOKED_THROUGH_ROWS = 20_000
_FREQUENT_PAIRS = (
    "니다 습니 에서 으로 하는 해서 했다 있다 한다 된다 어요 지만 까지 부터 에게 하고 하게 는데 이다 했어 있어 으면"
)
# No word of people's, and slow to compare with a sound: `aaaaaaaa`, base64.
_NO_WORD = re.compile(r"(.)\1\1|[aeiouyw]{6}|[^aeiouy]{7}")


class WordIndex(UnitTable):
    """The table ``words`` in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "words")
        self._known: dict[Callable[[Any], Any], tuple[tuple[bytes, int], Any]] = {}

    def lexical_search(
        self, query: str, k: int, where: UnitFilter | None = None, crossed: Sequence[tuple[str, float]] = ()
    ) -> LexicalHits:
        """The ``k`` best units by BM25 over each of the two indexed fields, best first; none for a question without words.

        Args:
            query: as a person typed it; no character of it is an operator.
            crossed: tokens of the other language that count as well, each with its weight beside 1 of a word of the query.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        tokens = query_text(query)
        if not tokens or k < 1:
            return LexicalHits((), ())
        asked = weighted(tokens, crossed)
        return self._read(
            lambda table: lexical_hits(table, self._asked(), self._known_rows, asked, k, where), lambda: LexicalHits((), ())
        )

    def speaks_korean(self) -> bool:
        """Whether any unit is in Korean, looked up once for each version of the table.

        Among many units by frequent pairs of syllables: a few words without a sentence are overlooked there.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        return self._once(_speaks_korean, lambda: False)

    def speaks_english(self) -> bool:
        """Whether any unit is in English, looked up once for each version of the table: none has a sentence without `the`.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        return self._once(_speaks_english, lambda: False)

    def speakers(self) -> frozenset[str]:
        """Everybody who says a passage of the index.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        return self._once(_speakers, frozenset)

    def english_words(self) -> Mapping[str, str]:
        """The English words of all units by their first letter: each once, in lower case and in their order, a line each.

        Reading all units takes a moment and is done once for each version of the table, at the first need.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        return self._once(_english_words, dict)

    def _once(self, look: Callable[[Any], _Seen], nothing: Callable[[], _Seen]) -> _Seen:
        """What a look into the table gives, which is kept for as long as the table has this version."""

        def of(table: Any) -> _Seen:
            state = mark_of(table.schema), table.version
            known = self._known.get(look)
            if known is None or known[0] != state:
                self._known[look] = known = state, look(table)
            seen: _Seen = known[1]
            return seen

        return self._read(of, nothing)

    def upsert(self, units: Sequence[Unit]) -> None:
        """Store units, each in the place of the row that has its id. Again changes nothing.

        The last of several units with one id wins. A batch is one commit: it is there whole or not at all.

        Raises:
            UnitRejectedError: the units cannot be stored as they are; nothing of this call's failing batch is.
            IndexCorruptError, IndexWriteError: the table cannot be read or written.
        """
        self._write(list({unit.unit_id: unit for unit in units}.values()), word_rows)

    def prepare(self) -> None:
        """Open the table and read what the first search would wait for.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        super().prepare()
        self.speakers()
        self.lexical_search("the", 1)

    def _schema(self) -> pa.Schema:
        return word_schema()

    def _try_out(self, table: Any) -> None:
        lexical_hits(table, self._asked(), KnownRows(), ("the", 1.0), 1, None)


def _speaks_korean(table: Any) -> bool:
    if table.count_rows() > _LOOKED_THROUGH_ROWS:
        return holds_any(table, _FREQUENT_PAIRS)
    search = table.search().where(f"regexp_like({OWN_TEXT}, '[\uac00-\ud7a3]')").select(["unit_id"]).limit(1)
    return bool(search.to_arrow(timeout=PATIENCE).num_rows > 0)


def _speaks_english(table: Any) -> bool:
    return holds_any(table, "the")


def _speakers(table: Any) -> frozenset[str]:
    rows = table.search().where("speaker IS NOT NULL").select(["speaker"]).limit(None).to_arrow(timeout=PATIENCE)
    return frozenset(rows["speaker"].unique().to_pylist())


def _english_words(table: Any) -> Mapping[str, str]:
    return by_first_letter(_english_in(table))


def _english_in(table: Any) -> Iterator[str]:
    """The English words of a table, each once, in no order. What it holds at a time is a batch of rows."""
    import pyarrow.compute as pc

    known: set[str] = set()
    for batch in table.search().select([OWN_TEXT]).limit(None).to_batches(timeout=PATIENCE):
        words = pc.unique(pc.list_flatten(pc.ascii_split_whitespace(batch[OWN_TEXT]))).to_pylist()
        known.update(words)
    return (
        word for word in known if len(word) <= _LONGEST_WORD and word.isascii() and word.isalpha() and not _NO_WORD.search(word)
    )


def by_first_letter(words: Iterable[str]) -> dict[str, str]:
    """Words in their order, a line each, under the letter that they begin with."""
    return {letter: "\n".join(some) for letter, some in groupby(sorted(words), key=lambda word: word[0])}
