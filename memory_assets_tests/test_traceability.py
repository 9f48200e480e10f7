"""What the code cites ships with it: decisions by number; requirements stand in one page alone, beside files that exist."""

from __future__ import annotations

import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "traceability.md"
FOLDERS = ("memory_assets", "memory_assets_tests", "benchmarks")
UNSHIPPED = re.compile(
    r"\b[ACDEGKRX]-\d{2,3}\b|requirements? [A-Z]\d*\b|(?<!its )\bissue (item|\d)|field lesson|design card|\bseed 00"
    r"|architecture\.md section|sibling_systems|evidence_alignment|agent_hooks",
    re.IGNORECASE,
)
SETTINGS = {
    f"{section}.{name}"
    for section, field in Settings.model_fields.items()
    for name in getattr(field.annotation, "model_fields", ())
}
UNSHIPPED_HINT = re.compile(
    r"[acdegkrx]-\d\d|requirement|issue |field less|design card|seed 00|architecture\.md s|_systems|evidence_al|agent_h"
)
MODULE, QUOTED = (re.compile(rf"``(?:[a-z_]+\.)+[{letters}_]+``") for letters in ("A-Za-z", "a-z"))
DECISION = re.compile(r"decisions? (\d{4})")


def files() -> list[Path]:
    """The code, but for this file, which names what is not to be named."""
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")) if path != Path(__file__)]


def cited(pattern: re.Pattern[str], *, hint: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """What of a pattern stands in a comment or a docstring of the code, with its place.

    Args:
        hint: found quickly, in lower case, in every text that holds what is looked for: only such files are taken apart.
    """
    for path in files():
        text = path.read_text(encoding="utf-8")
        if hint.search(text.lower()) is None:
            continue
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string.startswith('"""')):
                place = f"{path.relative_to(ROOT)}:{token.start[0]}"
                yield from ((place, match[0]) for match in pattern.finditer(token.string))


def test_no_code_cites_what_does_not_ship() -> None:
    assert len(files()) > 1000
    assert list(cited(UNSHIPPED, hint=UNSHIPPED_HINT)) == []


@pytest.mark.parametrize("said", ["(requirements G-50)", "(requirement K-30)", "(issue item 3)", "(Architecture.md section 4)"])
def test_what_does_not_ship_is_recognised(said: str) -> None:
    assert UNSHIPPED.search(said) is not None and UNSHIPPED_HINT.search(said.lower()) is not None


def test_every_decision_that_is_cited_is_there() -> None:
    numbers = {path.name[:4] for path in (ROOT / "docs" / "decisions").glob("*.md")}
    found = [(place, DECISION.match(text)) for place, text in cited(DECISION, hint=DECISION)]
    assert found and [(place, match[0]) for place, match in found if match and match[1] not in numbers] == []


def test_every_file_of_the_page_is_there() -> None:
    named = re.findall(r"`([^`]+\.(?:py|sql))`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 100
    assert [name for name in named if not any((folder / name).is_file() for folder in (ROOT, ROOT / "memory_assets"))] == []


def test_every_requirement_has_one_row() -> None:
    rows = re.findall(r"^\| ([A-Z]-\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) > 100 and len(rows) == len(set(rows))


def test_pages_cite_no_folder_that_does_not_ship() -> None:
    pages = subprocess.run(
        ["git", "ls-files", "-z", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\0")[:-1]
    if not pages:
        pytest.skip("not a checkout")
    assert [page for page in pages if "../shared" in (ROOT / page).read_text(encoding="utf-8")] == []


def test_every_module_that_is_named_is_there() -> None:
    package = ROOT / "memory_assets"
    paths = (path.relative_to(package).with_suffix("").parts for path in package.rglob("*.py"))
    modules = {".".join(parts).removesuffix(".__init__") for parts in paths}
    named = [
        (place, name)
        for place, quoted in cited(MODULE, hint=QUOTED)
        if place.startswith("memory_assets/") and (name := quoted.strip("`")) not in SETTINGS
        if (package / name.split(".")[0]).is_dir()
    ]
    assert len(named) > 30
    assert [
        (place, name) for place, name in named if not {name, name.rpartition(".")[0], name.rsplit(".", 2)[0]} & modules
    ] == []
