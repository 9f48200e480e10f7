"""The Idris package, read as text: what a proof rests on may not trust, skip or leave open anything."""

from __future__ import annotations

import re

import pytest

from memory_assets.graduation.proofs import audit as audit_module
from memory_assets.shipped_files import shipped_folder

_PACKAGE = shipped_folder("idris")
_SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((_PACKAGE / "src" / "Memory").glob("*.idr"))}

_RULES = {
    "Evidence": {
        "message-id-not-empty",
        "message-text-fits-length",
        "span-inside-message",
        "confidence-fits-method",
        "slice-is-source-text",
        "exact-quote-is-slice",
        "segments-in-order",
    },
    "Stage": {"entry-id-not-empty", "title-not-empty", "has-evidence", "all-evidence-aligned", "certifier-named"},
    "Task": {
        "task-id-not-empty",
        "task-starts-legally",
        "legal-task-transition",
        "blockers-fit-status",
        "events-in-time-order",
    },
    "Session": {
        "decision-cites-verified",
        "decision-id-not-empty",
        "decision-has-evidence",
        "evidence-precedes-decision",
        "entry-ids-unique",
        "ids-unique",
    },
}


def _code(source: str) -> str:
    """Without comments."""
    return "\n".join(line.split("--")[0] if not line.lstrip().startswith("|||") else "" for line in source.split("\n"))


def test_the_package_lists_its_modules_and_needs_nothing_else() -> None:
    ipkg = (_PACKAGE / "memory.ipkg").read_text(encoding="utf-8")
    listed = re.search(r"^modules = (.*)$", ipkg, re.MULTILINE)
    assert listed is not None
    assert set(listed[1].split(", ")) == {f"Memory.{name}" for name in _SOURCES}
    assert 'opts = "--no-prelude --total"' in ipkg
    assert "depends" not in ipkg


@pytest.mark.parametrize("name", sorted(_SOURCES))
def test_nothing_is_trusted_skipped_or_left_open(name: str) -> None:
    code = _code(_SOURCES[name])
    assert "%default total" in code
    forbidden = r"believe_me|assert_|\bpartial\b|\bcovering\b|%(?!default total)|\?|\bIO\b|foreign|unsafe|postulate|\bmutual\b"
    assert re.search(forbidden, code) is None
    assert all(imported.startswith("Memory.") for imported in re.findall(r"import (?:public )?(\S+)", code))
    assert set(re.findall(r"prim__\w+", code)) <= {
        "prim__cast_IntInteger",
        "prim__cast_IntegerInt",
        "prim__lt_Integer",
        "prim__lte_Integer",
        "prim__eq_Integer",
        "prim__add_Integer",
        "prim__sub_Integer",
        "prim__lt_String",
        "prim__eq_String",
        "prim__strLength",
        "prim__strSubstr",
    }


@pytest.mark.parametrize("name", sorted(_RULES))
def test_a_module_states_its_obligations(name: str) -> None:
    assert set(re.findall(r'Holds "([a-z-]+)"', _SOURCES[name])) == _RULES[name]


def test_holds_has_one_constructor_and_it_needs_true() -> None:
    after = _SOURCES["Rule"].split("data Holds :", 1)[1]
    definition = after.split("\n\n", 1)[0]
    assert re.findall(r"^  (\w+) : (.*)$", definition, re.MULTILINE) == [("Ok", "Holds rule subject True")]


def test_every_word_of_the_closed_vocabulary_is_one_of_the_package() -> None:
    code = " ".join(_code(source) for source in _SOURCES.values())
    words = set(re.findall(r"\w+", code))
    # The words of the forms are what no name of a group and no class of characters is.
    form = audit_module._DEFINITION
    written = set(re.findall(r"[A-Za-z]{2,}", form.pattern)) - set(form.groupindex) - {"export"}
    assert {"Ok", "messageId", "Certified", "AllUnique"} <= written
    assert written <= words
