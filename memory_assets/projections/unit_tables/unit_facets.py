"""What a text can be filtered by: the files, commits and symbols that it names (schema V010, ``unit_facets``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memory_assets.tasks.references import references_in

MOST_FACETS = 32
"""Values of one unit; a listing of a thousand files is about none of them."""
_MOST_CHARACTERS = 200
_READ = 20_000

# Whatever names a file or commit has a dot in a word, or a hexadecimal run; most of what is said has neither.
_NAMES_SOMETHING = re.compile(r"\w\.\w|[0-9a-f]{7}")
_INLINE_CODE = re.compile(r"(?<!`)`(?P<name>[A-Za-z_$][\w$]{1,80}(?:(?:\.|::|#)[\w$]{1,80}){0,6})(?P<called>\(\))?`(?!`)")
_LOOKS_LIKE_A_SYMBOL = re.compile(r"_|[a-z][A-Z]|[.:#]|[A-Z][a-z]")


def facets_of(text: str, files: Iterable[str] = ()) -> list[tuple[str, str]]:
    """The (facet, value) pairs of a text, each once, at most ``MOST_FACETS``, in the order in which it names them.

    A file is given as it is written and by its name alone, so that both find it.

    Args:
        files: paths that are known beside the text, before those of the text.
    """
    pairs = dict.fromkeys(pair for path in files for pair in _of_file(path))
    read = text[:_READ]
    if _NAMES_SOMETHING.search(read):
        pairs |= dict.fromkeys(_of_references(read))
    if "`" in read:
        pairs |= dict.fromkeys(_of_symbols(read))
    return [(facet, value) for facet, value in pairs if len(value) <= _MOST_CHARACTERS][:MOST_FACETS]


def below(path: str, folder: str | None) -> str:
    """A path as seen from a folder that it lies in; as it is where it lies elsewhere."""
    inside = f"{folder.rstrip('/')}/" if folder else "/"
    return path[len(inside) :] if folder and path.startswith(inside) and len(path) > len(inside) else path


def _of_references(text: str) -> Iterator[tuple[str, str]]:
    for reference in references_in(text, ""):
        if reference.kind == "file":
            yield from _of_file(reference.raw)
        elif reference.kind == "commit":
            # Found by its short name as well as by what stands there of it.
            yield "commit", reference.title
            yield "commit", reference.title[:7]


def _of_file(path: str) -> Iterator[tuple[str, str]]:
    written = path.removeprefix("@").removeprefix("./")
    name = re.split(r"[/\\]", written)[-1]
    if name:
        yield "file", written
        yield "file", name


def _of_symbols(text: str) -> Iterator[tuple[str, str]]:
    for match in _INLINE_CODE.finditer(text):
        name = match["name"]
        if (match["called"] or _LOOKS_LIKE_A_SYMBOL.search(name)) and not references_in(name, ""):
            yield "symbol", name
