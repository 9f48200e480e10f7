"""What stands on each line of a generated module, read from the module's text alone (proof layer, pitfall 6).

A compiler's complaint is a position. Every obligation of a module is an ``Ok`` on a line of its own, for the audit refuses
any other, and which rule it stands for follows from the constructor that it is given to. So the text is enough to name the
rule and the subject: a module that another process wrote is blamed like one of our own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from memory_assets.graduation.proofs.embedded import LADDER, WELL_TYPED
from memory_assets.graduation.proofs.embedded_syntax import Call, Definition, ModuleText, Term, id_in, read_module
from memory_assets.graduation.proofs.model import RuleFailure

# What begins a line of a definition, if it is a constructor, its bracket before it.
_OPENING = re.compile(r"  (\(?)([A-Z][A-Za-z]*)")

# The obligations of each constructor, in the order of its arguments.
_OBLIGATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Msg": ("message-id-not-empty", "message-text-fits-length"),
    "Cut": ("span-inside-message", "confidence-fits-method", "slice-is-source-text", "exact-quote-is-slice"),
    "InOrder": ("segments-in-order",),
    "Draft": ("entry-id-not-empty", "title-not-empty"),
    "Ground": ("has-evidence",),
    "Verify": ("all-evidence-aligned",),
    "Certify": ("certifier-named",),
    "Add": ("entry-ids-unique",),
    "Create": ("task-id-not-empty", "task-starts-legally", "blockers-fit-status"),
    "Move": ("legal-task-transition", "events-in-time-order", "blockers-fit-status"),
    "Cite": ("decision-cites-verified", "evidence-precedes-decision"),
    "CiteOther": ("decision-cites-verified", "evidence-precedes-decision"),
    "Decide": ("decision-id-not-empty", "decision-has-evidence"),
    "AllUnique": ("ids-unique",),
}


def error_locations(source: str, before: Sequence[str] = ()) -> dict[int, RuleFailure]:
    """1-based line -> the rule and the subject that a complaint about the line is about.

    A line of a definition that is no obligation stands for how the definition is built: ``stage-ladder`` for an entry,
    ``well-typed`` for the rest. Lines of no definition are absent; of a module that cannot be read, all.

    Args:
        before: the modules that it imports, which may define an entry that it cites.
    """
    module = read_module(source)
    if not isinstance(module, ModuleText):
        return {}
    entries: dict[str, str] = {}
    for earlier in map(read_module, before):
        if isinstance(earlier, ModuleText):
            entries.update(_entry_ids(definition for definition in earlier.definitions if definition.exported))
    entries.update(_entry_ids(module.definitions))
    lines = source.split("\n")
    table: dict[int, RuleFailure] = {}
    ends = [*(definition.line for definition in module.definitions), len(lines) + 1][1:]
    taken: set[str] = set()
    for definition, end in zip(module.definitions, ends, strict=True):
        first = definition.line + (1 if definition.exported else 0)
        last = next((number for number in range(first, end) if not lines[number - 1]), end)
        if definition.name in taken:
            table.update(dict.fromkeys(range(first, last), RuleFailure(WELL_TYPED, definition.name)))
        else:
            table.update(_of_definition(definition, lines, range(first, last), entries))
        taken.add(definition.name)
    return table


def _of_definition(
    definition: Definition, lines: Sequence[str], numbers: range, entries: Mapping[str, str]
) -> Iterator[tuple[int, RuleFailure]]:
    subject = _subject(definition, entries)
    built = LADDER if _head(definition.type) == "Entry" else WELL_TYPED
    # What is still owed to the constructors that are open here, the innermost last.
    owed: list[list[str]] = [[]]
    for number in numbers:
        line, rule = lines[number - 1], built
        opening = _OPENING.match(line)
        if line == "  Ok":
            if owed[-1]:
                rule = owed[-1].pop(0)
        elif line == "  )" and len(owed) > 1:
            owed.pop()
        elif opening is not None:
            owed = [*(owed if opening[1] else []), list(_OBLIGATIONS.get(opening[2], ()))]
        yield number, RuleFailure(rule, subject)


def _subject(definition: Definition, entries: Mapping[str, str]) -> str:
    """Whom a definition is about: the id that stands in it, or the entry that it cites; else its name."""
    id_ = id_in(definition)
    if id_ is not None:
        return id_
    match definition.term:
        case Call("Cite", (Call(entry, ()), *_)) if entry in entries:
            return entries[entry]
    return definition.name


def _entry_ids(definitions: Iterable[Definition]) -> dict[str, str]:
    """The entries among definitions: the name of the definition -> the entry's id."""
    found: dict[str, str] = {}
    for definition in definitions:
        match definition.type:
            case Call("Entry", (str(entry_id), *_)):
                found.setdefault(definition.name, entry_id)
    return found


def _head(term: Term) -> str:
    return term.head if isinstance(term, Call) else ""
