"""Reading a generated module: text to terms (the embedded checker's front half; it shares no code with the generator).

The language is a list of definitions, each a type and a term; a term is a whole number, a text, a list, or a word with
arguments. What Idris 2 would not parse is not parsed here either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_DEPTH_LIMIT: Final = 24


@dataclass(frozen=True, slots=True)
class Call:
    """A word and what it is applied to; a bare word has no arguments."""

    head: str
    args: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    """A list in brackets."""

    items: tuple[Term, ...]


Term = int | str | Call | Items


@dataclass(frozen=True, slots=True)
class Definition:
    """``name : type`` and ``name = term``; ``exported`` where a module behind may use it."""

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


_HEADER = re.compile(r"module (\w+)\nimport Memory\.Session\n((?:import \w+\n)*)%default total(?:\n|$)")
# One block: a type line at the margin, then an equation at the margin, each with its indented lines.
_BLOCK = re.compile(
    r"(?P<export>export\n)?(?P<name>[A-Z][A-Za-z0-9]*) :(?P<type>[^\n]*(?:\n [^\n]*)*)\n"
    r"(?P<again>[A-Z][A-Za-z0-9]*) =(?P<term>[^\n]*(?:\n [^\n]*)*)(?:\n|$)"
)
_TOKEN = re.compile(
    r'\s*(?:"(?P<text>[^"\\\n]*(?:\\[0-9]+\\&[^"\\\n]*)*)"|(?P<number>[0-9]+)|(?P<word>[A-Za-z][A-Za-z0-9]*)'
    r"|(?P<mark>[()\[\],]))"
)
_ESCAPE = re.compile(r"\\([0-9]+)\\&")


class _NotATerm(Exception):
    """Left the language while reading a term; never leaves this module."""


def read_module(source: str) -> ModuleText | Unreadable:
    """The definitions of a module, in order."""
    header = _HEADER.match(source)
    if header is None:
        return Unreadable(1, "the header is not the fixed one")
    definitions: list[Definition] = []
    position, line = header.end(), source.count("\n", 0, header.end()) + 1
    while position < len(source):
        if source[position] == "\n":
            position, line = position + 1, line + 1
            continue
        block = _BLOCK.match(source, position)
        if block is None or block["name"] != block["again"]:
            return Unreadable(line, "neither a definition nor the end")
        try:
            type_, term = _term(block["type"]), _term(block["term"])
        except _NotATerm as problem:
            return Unreadable(line, str(problem))
        definitions.append(Definition(block["name"], type_, term, line, block["export"] is not None))
        position, line = block.end(), line + block[0].count("\n")
    return ModuleText(header[1], tuple(header[2].split()[1::2]), tuple(definitions))


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise _NotATerm("a character outside the language")
        yield match.lastgroup, match[match.lastgroup]
        position = match.end()
    yield "end", ""


def _term(text: str) -> Term:
    tokens = _tokens(text)
    terms, closer = _run(tokens, 0)
    if closer != "":
        raise _NotATerm("a bracket that closes nothing")
    return _applied(terms)


def _run(tokens: Iterator[tuple[str, str]], depth: int) -> tuple[list[Term], str]:
    """Terms up to a closer, and the closer: a parenthesis, a bracket, a comma, or nothing for the end."""
    if depth > _DEPTH_LIMIT:
        raise _NotATerm("nested too deep")
    terms: list[Term] = []
    while True:
        kind, value = next(tokens)
        if kind == "word":
            terms.append(Call(value))
        elif kind == "text":
            terms.append(_decoded(value))
        elif kind == "number":
            if len(value) > 32:
                raise _NotATerm("a number with too many digits")
            terms.append(int(value))
        elif value == "(":
            inner, closer = _run(tokens, depth + 1)
            if closer != ")":
                raise _NotATerm("a parenthesis that nothing closes")
            terms.append(_applied(inner))
        elif value == "[":
            terms.append(_items(tokens, depth + 1))
        else:
            return terms, value


def _items(tokens: Iterator[tuple[str, str]], depth: int) -> Items:
    found: list[Term] = []
    while True:
        terms, closer = _run(tokens, depth)
        if closer == "]" and not terms and not found:
            return Items(())
        found.append(_applied(terms))
        if closer == "]":
            return Items(tuple(found))
        if closer != ",":
            raise _NotATerm("a bracket that nothing closes")


def _applied(terms: list[Term]) -> Term:
    match terms:
        case [Call(head, ()), _, *_]:
            return Call(head, tuple(terms[1:]))
        case [single]:
            return single
        case []:
            raise _NotATerm("a term is missing")
        case _:
            raise _NotATerm("only a word can be applied")


def _decoded(literal: str) -> str:
    if "\\" not in literal:
        return literal
    if any(int(digits) > 0x10FFFF for digits in _ESCAPE.findall(literal)):
        raise _NotATerm("an escape that is no character")
    return _ESCAPE.sub(lambda escape: chr(int(escape[1])), literal)
