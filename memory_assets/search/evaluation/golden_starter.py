"""A first file of golden questions, made of what a store remembers: to be reworded by its owner."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

_HANGUL = re.compile("[\uac00-\ud7a3]")
# What JSON lets stand and YAML does not.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_HEADING = """\
# Golden questions: what search should find. `memory eval run` asks them, `memory eval compare` says what changed.
# The questions below are titles of memories, each with the place where it was said. Reword them as you would ask:
# a question in the words of its answer measures little.
#
# Of each question (all but query may be left out):
#   id            a name of your own: letters, digits, dots, dashes. It is kept with the results; the text is not
#   query         what is asked
#   k             how many hits count, else the k of the file
#   mode          lexical, vector, hybrid or auto
#   project       only what was said in this project
#   expected      addresses that should be found: mem:a7Bc3x, session:ID#m=12 or session:ID#m=12&c=140-182
#   contains      phrases, each of which some hit should hold
#   must_contain  phrases that should stand in what is delivered, whichever hit it is
#   forbidden     phrases or addresses that no hit may hold or be
#   answer        what `memory ask` should say, or several ways to say it; `memory eval ask` measures that
#   unanswerable  true where nothing that was said answers it
# A question that expects nothing is skipped and counted.

suite: golden
k: 10

# `memory eval run --gate` exits 1 where one of these does not hold, or where something is worse than in the last run
# that passed.
bars:
  forbidden_hits: 0
#  hit_at_k: 0.9
#  mrr: 0.7
#  recall_at_k: 0.8
#  precision_at_k: 0.1
#  must_contain: 1.0
#  answer_recall: 0.5
#  answered: 0.9
#  refused: 0.8

"""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory as the file asks for it: its title is the question, the address of its first quote the answer."""

    citation: str
    title: str
    uri: str


def chosen(memories: Iterable[Remembered], count: int) -> list[Remembered]:
    """So many of them in their order, with as many Korean titles as others where there are enough of both."""
    by_title: dict[str, Remembered] = {}
    for memory in memories:
        by_title.setdefault(" ".join(memory.title.split()).casefold(), memory)
    korean = [memory for memory in by_title.values() if _HANGUL.search(memory.title)]
    others = [memory for memory in by_title.values() if not _HANGUL.search(memory.title)]
    mixed = chain.from_iterable(zip_longest(korean, others))
    return [memory for memory in mixed if memory is not None][:count]


def starter(memories: Sequence[Remembered]) -> str:
    """The file's text; `parse_golden` reads it back."""
    if not memories:
        return f"{_HEADING}questions: []\n"
    return f"{_HEADING}questions:\n" + "".join(_entry(memory) for memory in memories)


def _entry(memory: Remembered) -> str:
    return f"  # {memory.citation}\n  - query: {_quoted(memory.title)}\n    expected:\n      - {_quoted(memory.uri)}\n"


def _quoted(text: str) -> str:
    """A YAML scalar in double quotes: data, whatever signs it holds."""
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(" ".join(text.split()), ensure_ascii=False))
