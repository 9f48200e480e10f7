"""Reading a generated module: text to terms (the embedded checker's front half; it shares no code with the generator).

The language is a list of definitions, each a type and a term; a term is a whole number, a text, a list, or a word with
arguments. What Idris 2 would not parse is not parsed here either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

_DEPTH_LIMIT: Final = 24
_DIGITS_LIMIT: Final = 32


class Call(NamedTuple):
    """A word and what it is applied to; a bare word has no arguments."""

    head: str
    args: tuple[Term, ...] = ()


class Items(NamedTuple):
    """A list in brackets."""

    items: tuple[Term, ...]


Term = int | str | Call | Items


class Definition(NamedTuple):
    """``name : type`` and ``name = term``; ``exported`` where a module behind may use it; ``line`` is 1-based."""

    name: str
    type: Term
    term: Term
    line: int
    exported: bool = False


@dataclass(frozen=True, slots=True)
class ModuleText:
    """A module that could be read."""

    name: str
    imports: tuple[str, ...]
    definitions: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A module that is not in the language; ``line`` is 1-based. The text is never quoted."""

    line: int
    reason: str


def id_in(definition: Definition) -> str | None:
    """The id that a definition is about, from its place in the type or in the term; None where none is in its place. Never
    another text, which may be what somebody said."""
    match definition.type:
        case Call("Entry" | "Entries" | "History" | "Ruling", (str(id_), *_)):
            return id_
    match definition.term:
        case (
            Call("Msg", (str(id_), _, _, _, str(), *_))
            | Call("Cut", (str(id_), _, _, _, _, str(), str(), *_))
            | Call("Draft", (str(id_), _, str(), *_))
            | Call("InOrder" | "Create" | "CiteOther" | "Decide" | "AllUnique", (str(id_), *_))
        ):
            return id_
    return None


_HEADER = re.compile(r"module (\w+)\nimport Memory\.Session\n((?:import \w+\n)*)%default total(?:\n|$)")
# One block: a type line at the margin, then an equation at the margin, each with its indented lines, and blank lines.
_BLOCK = re.compile(r"(export\n)?([A-Z][0-9]+) :([^\n]*(?:\n [^\n]*)*)\n([A-Z][0-9]+) =([^\n]*(?:\n [^\n]*)*)(?:\n+|\Z)")
# A literal ends at the next quote, for there is no escaped one; what stands in it is looked at when it is decoded. The last
# alternative is a character that has no place outside a literal: no token of the language begins with it.
_TOKEN = re.compile(r'[ \n]*("[^"]*"|[A-Za-z0-9]+|[^ \n])')
_ESCAPE = re.compile(r"\\([0-9]+)\\&")
_BRACKETS: Final = frozenset("()[],")


class _NotATerm(Exception):
    """Left the language while reading a term; never leaves this module."""


def read_module(source: str) -> ModuleText | Unreadable:
    """The definitions of a module, in order."""
    header = _HEADER.match(source)
    if header is None:
        return Unreadable(1, "the header is not the fixed one")
    reader = _Reader()
    definitions: list[Definition] = []
    position, line = header.end(), source.count("\n", 0, header.end()) + 1
    while source.startswith("\n", position):
        position, line = position + 1, line + 1
    while position < len(source):
        block = _BLOCK.match(source, position)
        if block is None or block[2] != block[4]:
            return Unreadable(line, "neither a definition nor the end")
        exported, name, type_, _, term = block.groups()
        try:
            definitions.append(Definition(name, reader.term(type_), reader.term(term), line, exported is not None))
        except _NotATerm as problem:
            return Unreadable(line, str(problem))
        position, line = block.end(), line + block[0].count("\n")
    return ModuleText(header[1], tuple(header[2].split()[1::2]), tuple(definitions))


class _Atoms(dict[str, Term]):
    """Words, numbers and literals, each read when it is first met."""

    def __missing__(self, token: str) -> Term:
        atom = self[token] = _atom(token)
        return atom


class _Reader:
    """Reads terms. Words, numbers and literals that come again are made once."""

    def __init__(self) -> None:
        self._atoms = _Atoms()

    def term(self, text: str) -> Term:
        """The one term that a text is."""
        tokens = _TOKEN.findall(text)
        if _BRACKETS.isdisjoint(tokens):
            return _applied(list(map(self._atoms.__getitem__, tokens)))
        return self._nested(tokens)

    def _nested(self, tokens: Sequence[str]) -> Term:
        """The one term that tokens are, some of which are brackets."""
        atoms = self._atoms
        # The terms so far between the last opener or comma and here; the list that is open, None in a parenthesis.
        terms: list[Term] = []
        items: list[Term] | None = None
        around: list[tuple[list[Term], list[Term] | None]] = []
        for token in tokens:
            if token not in _BRACKETS:
                terms.append(atoms[token])
            elif token in ("(", "["):
                if len(around) == _DEPTH_LIMIT:
                    raise _NotATerm("nested too deep")
                around.append((terms, items))
                terms, items = [], None if token == "(" else []
            elif token == ",":
                if items is None:
                    raise _NotATerm("a comma outside brackets")
                items.append(_applied(terms))
                terms = []
            else:
                if not around or (items is None) != (token == ")"):
                    raise _NotATerm("a bracket that closes nothing")
                closed = _applied(terms) if items is None else _listed(items, terms)
                terms, items = around.pop()
                terms.append(closed)
        if around:
            raise _NotATerm("a bracket that nothing closes")
        return _applied(terms)


def _atom(token: str) -> Term:
    if token[0] == '"' and len(token) > 1:
        return _decoded(token[1:-1])
    if not token.isascii() or not token.isalnum():
        raise _NotATerm("a character outside the language")
    if token[0] > "9":
        return Call(token)
    if not token.isdigit():
        raise _NotATerm("a number that runs into a word")
    if len(token) > _DIGITS_LIMIT:
        raise _NotATerm("a number with too many digits")
    return int(token)


def _applied(terms: Sequence[Term]) -> Term:
    if not terms:
        raise _NotATerm("a term is missing")
    head = terms[0]
    if len(terms) == 1:
        return head
    if not isinstance(head, Call) or head.args:
        raise _NotATerm("only a word can be applied")
    return Call(head.head, tuple(terms[1:]))


def _listed(items: list[Term], last: Sequence[Term]) -> Items:
    """A list at its closing bracket; only an empty one has nothing before it."""
    return Items(()) if not items and not last else Items((*items, _applied(last)))


def _decoded(literal: str) -> str:
    if "\n" in literal:
        raise _NotATerm("a literal that goes over its line")
    if "\\" not in literal:
        return literal
    # Every second piece is the digits of an escape.
    pieces = _ESCAPE.split(literal)
    if "\\" in "".join(pieces[::2]):
        raise _NotATerm("an escape that is none of the language's")
    pieces[1::2] = map(_character, pieces[1::2])
    return "".join(pieces)


@lru_cache(maxsize=1_024)
def _character(digits: str) -> str:
    value = int(digits) if len(digits) <= 7 else -1
    if not 0 <= value <= 0x10FFFF or 0xD800 <= value <= 0xDFFF:
        raise _NotATerm("an escape that is no character")
    return chr(value)
