"""Who may import whom, read from every import statement, late ones included."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "memory_assets"

# The domain: what came in, what is quoted, where it stands, what is proved, what follows. It knows no store.
DOMAIN = ("text", "sessions", "extraction", "evidence", "graduation", "tasks", "court")
MIDDLE = (
    *DOMAIN,
    "citations",
    "results",
    "search",
    "ask",
    "log",
    "projections",
    "vectors",
    "court_backend",
    "fleet",
    "queries",
    "maintenance",
    "commands",
)
SURFACES = ("cli", "hooks", "mcp", "server", "viewer")
# Small roots that every room may use (decision 0010).
ROOTS = {
    "client_settings",
    "errors",
    "identifiers",
    "moments",
    "postgres",
    "progress",
    "providers",
    "shipped_files",
    "locks",
    "interpreter",
    "stopping",
    "vocabulary",
}
STORE = {"log", "projections", "vectors", "court_backend", "fleet", "search", "ask", "queries", "maintenance", "commands"}
POSTGRES = {"psycopg", "psycopg_pool"}
HEAVY = {
    "dagster",
    "dagster_duckdb",
    "duckdb",
    "lancedb",
    "litellm",
    "torch",
    "sentence_transformers",
    "transformers",
    *POSTGRES,
}
# Adapters to what lies outside: the model, and the proof checker's process.
ADAPTERS = {
    "court.model.llm",
    "extraction.llm",
    "graduation.proofs.idris2",
    "graduation.proofs.idris2_process",
    "graduation.proofs.idris2_verdicts",
}
CLOCKS_AND_FILES = {"time", "os", "shutil", "subprocess", "socket", "tempfile", "urllib", "http"}


@lru_cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its name below it."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return found


def imports(module: str) -> Iterator[tuple[str, int]]:
    """What a module imports, with the line; not what only its types need."""
    waiting: list[ast.AST] = [modules()[module]]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno} imports relatively"
            if node.module == "memory_assets":
                yield from ((f"memory_assets.{alias.name}", node.lineno) for alias in node.names)
            elif node.module:
                yield node.module, node.lineno
        waiting += ast.iter_child_nodes(node)


def own(module: str) -> Iterator[tuple[str, int]]:
    """The modules of the package that a module imports, by their names below it."""
    for name, line in imports(module):
        if name.startswith("memory_assets."):
            yield name.removeprefix("memory_assets."), line


def room(module: str) -> str:
    return module.partition(".")[0]


def all_of(*rooms: str) -> list[str]:
    return [module for module in modules() if room(module) in rooms]


def violations(importers: list[str], forbidden: set[str]) -> list[str]:
    return [f"{module}:{line} imports {name}" for module in importers for name, line in own(module) if room(name) in forbidden]


def test_the_rooms_are_those_that_are_known() -> None:
    rooms = {room(module) for module in modules()} - {"__init__", ""}
    assert rooms - {"memory_assets"} <= {
        *MIDDLE,
        *SURFACES,
        *ROOTS,
        "__main__",
        "defs",
        "definitions",
        "memory",
        "backup",
        "configuration",
        "exchange",
        "settings",
        "settings_file",
        "settings_sections",
    }


def test_the_page_shows_every_room() -> None:
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert len(folders) > 15 and {name for name in folders if f"\n  {name}/ " not in page} == set()


@pytest.mark.long
def test_rooms_stand_on_each_other_without_a_circle() -> None:
    rooms = {room(module) for module in modules()}
    below = {name: {room(used) for module in all_of(name) for used, _ in own(module)} & rooms - {name} for name in rooms}
    order: list[str] = []
    while free := sorted(name for name, others in below.items() if others <= set(order) and name not in order):
        order += free
    assert sorted(set(below) - set(order)) == [], "these import each other, or what does"
    assert "vocabulary" in order and not below["vocabulary"] and below["text"] <= {"identifiers"}


@pytest.mark.parametrize("name", DOMAIN)
def test_the_domain_is_pure(name: str) -> None:
    importers = [module for module in all_of(name) if module not in ADAPTERS]
    assert importers
    known = {*DOMAIN, "errors", "identifiers", "shipped_files", "vocabulary"}
    assert violations(importers, {room(module) for module in modules()} - known) == []
    outside = [
        f"{module}:{line} imports {imported}"
        for module in importers
        for imported, line in imports(module)
        if room(imported) in HEAVY
    ]
    assert outside == []


@pytest.mark.parametrize("name", DOMAIN)
def test_the_domain_has_no_clock_no_process_and_no_network(name: str) -> None:
    files = {"sessions.files"}  # the one module that touches the file system, for those who read sessions
    touching = [
        f"{module}:{line} imports {imported}"
        for module in all_of(name)
        if module not in ADAPTERS | files
        for imported, line in imports(module)
        if room(imported) in CLOCKS_AND_FILES
    ]
    assert touching == []
    clocks = {"now", "today", "utcnow", "time", "time_ns"}
    asked = [
        f"{module}:{node.lineno} asks {ast.unparse(node)}"
        for module in all_of(name)
        if module not in ADAPTERS
        for node in ast.walk(modules()[module])
        if isinstance(node, ast.Attribute) and node.attr in clocks and ast.unparse(node.value) in ("datetime", "date", "time")
    ]
    assert asked == []


def test_what_is_printed_stands_on_words_and_addresses_alone() -> None:
    known = {"results", "citations", "errors", "vocabulary"}
    assert violations(all_of("results"), {room(module) for module in modules()} - known) == []


@pytest.mark.long
def test_the_middle_imports_neither_dagster_nor_a_surface() -> None:
    assert violations(all_of(*MIDDLE), {"defs", "definitions", "memory", *SURFACES}) == []
    dagster = [
        f"{module}:{line} imports {name}"
        for module in modules()
        if room(module) not in ("defs", "definitions")
        for name, line in imports(module)
        if room(name) in ("dagster", "dagster_duckdb", "dagster_webserver")
    ]
    assert dagster == []


def test_the_log_stands_on_nothing_and_the_folds_on_the_log() -> None:
    assert violations(all_of("log"), STORE - {"log"}) == []
    above = {"queries", "configuration", "maintenance", "commands"}
    assert violations(all_of("projections"), {"vectors", *above}) == []
    assert violations(all_of("vectors"), {"projections", *above}) == []
    assert violations(all_of("court_backend"), {"projections", "search", "ask", *above}) == []
    assert violations(all_of("fleet"), {"vectors", "search", "ask", *above}) == []
    assert violations(all_of("search"), {"projections", "queries", "maintenance", "commands"}) == []
    # A question is understood and hits are ranked without the store: rows come to them.
    pure = [module for module in all_of("search") if module.startswith(("search.question", "search.ranking"))]
    assert len(pure) > 15 and violations(pure, {"log", "configuration"}) == []


_SERVING = (
    ".run",
    ".court.run",
    ".dead_runs",
    ".rescanning",
    ".forgetting",
    ".correcting",
    ".retention",
    ".purging",
    ".development",
    ".taking",
)


@pytest.mark.long
def test_nobody_imports_the_assets_but_the_code_location_and_late_what_people_speak_to() -> None:
    allowed = {"definitions", "defs", "cli", "viewer"}
    assert violations([module for module in modules() if room(module) not in allowed], {"defs", "definitions"}) == []
    early = [
        f"{module}:{line} imports {name} when it is imported"
        for module in all_of("cli", "viewer")
        for node in modules()[module].body
        for name, line in _named(node)
        if name.startswith(("memory_assets.defs", "memory_assets.definitions"))
    ]
    assert early == []
    # Of the assets, these modules serve the commands, and the pages on which the same is said.
    served = {name for module in all_of("cli", "viewer") for name, _ in own(module) if room(name) == "defs"}
    assert served <= {f"defs{inner}" for inner in ("", *_SERVING)}


def _named(node: ast.stmt) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.Import):
        yield from ((alias.name, node.lineno) for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module, node.lineno


def test_surfaces_ask_and_print() -> None:
    """They ask the façade, or give its resources to what is done: store, log and index are opened below."""
    asked = {"memory", "queries", "commands", "maintenance", "backup", "exchange", "results", "search", "ask"}
    known = {
        *SURFACES,
        "client_settings",
        "settings",
        "errors",
        "progress",
        "stopping",
        "interpreter",
        "vocabulary",
        "defs",
        "text",
        "evidence",
        "locks",
    }
    # What hooks keep becomes a session file: they write one, look into the agent's own, and mask before either.
    kept = {
        "files",
        "folders",
        "keys",
        "masking.redaction",
        "model",
        "reading",
        "readers.chat_v1",
        "recalled",
        "times",
    }
    served = {"sessions.privacy_scan", "graduation.proofs.module_files", "identifiers"}
    served |= {f"sessions.{name}" for name in (*kept, "tolerant_json")}
    importers = all_of(*SURFACES)
    forbidden = {room(module) for module in modules()} - asked - known - {""}
    used = {name for module in importers for name, _ in own(module) if room(name) in forbidden}
    assert used <= served


@pytest.mark.long
def test_what_the_settings_choose_is_built_in_two_places() -> None:
    """The façade builds it, and Dagster's resource; whatever stands below is given it, and needs the type alone."""
    builders = {module for module in modules() for name, _ in own(module) if room(name) == "configuration"}
    assert builders == {"memory", "defs.resources"}


def test_only_who_is_asked_reads_the_tables_and_lets_people_speak() -> None:
    above = ("memory", "defs", "queries", "maintenance", "commands", *SURFACES)
    askers = [module for module in modules() if room(module) not in above]
    assert violations(askers, {"queries", "commands"}) == []


@pytest.mark.long
def test_a_model_of_others_is_asked_through_one_room() -> None:
    askers = {module for module in modules() for name, _ in imports(module) if room(name) in ("litellm", "openai", "httpx")}
    assert askers == {"providers.client"}
    assert {room(module) for module in modules() for name, _ in own(module) if room(name) == "providers"} <= {
        "providers",
        "extraction",
        "ask",
        "court",
        "configuration",
    }


def test_what_speaks_to_postgresql_knows_no_other_room() -> None:
    assert {name for module in all_of("postgres") for name, _ in own(module)} <= {"postgres.address"}
    assert violations(all_of("fleet"), {"court_backend"}) == []


@pytest.mark.long
def test_postgresql_is_spoken_to_by_three_rooms_and_late() -> None:
    asking = {room(module) for module in modules() for name, _ in imports(module) if room(name) in POSTGRES}
    assert asking == {"court_backend", "fleet", "postgres"}
    early = [
        f"{module}:{line} imports {name}"
        for module in all_of("court_backend", "fleet", "postgres")
        for node in modules()[module].body
        for name, line in _named(node)
        if room(name) in POSTGRES
    ]
    assert early == []


@pytest.mark.long
def test_the_stores_file_is_opened_in_one_place() -> None:
    connecting = {
        module
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "duckdb.connect" and not _is_in_memory(node)
    }
    # `log.schema` makes one in memory, to compare with.
    assert connecting == {"log.opening"}


def _is_in_memory(connect: ast.Call) -> bool:
    """A DuckDB without a file, to compare with or to attach the store to."""
    return not connect.args or ast.unparse(connect.args[0]) == "':memory:'"


LONG_MODULES = {
    "graduation.proofs.embedded": "one judgement over the whole language of the modules",
}
LONG_FUNCTIONS = {
    "cli.search.search": "the options of a command are its parameters",
    "cli.task_detail.print_detail": "a page, from top to bottom",
    "commands.decisions.record_decision": "checked, proved and written, or refused with every reason",
    "defs.batch.run_stage": "one turn of each session, and what comes of it",
    "defs.registration.register": "what becomes of a file, one case for each outcome",
    "defs.run.import_paths": "an import, from the first file to its report",
    "maintenance.fsck.fsck": "one look after the other",
    "projections.unit_tables.unit_rows.found": "one row, column by column",
    "queries.proof.session_proof": "a verdict and the modules it was about",
    "sessions.masking.redaction.redact_session": "each field of a session",
}


def test_modules_are_short() -> None:
    lengths = {name: len((_path(name)).read_text(encoding="utf-8").splitlines()) for name in modules()}
    assert sorted(lengths.values())[len(lengths) // 2] <= 170
    assert {name for name, length in lengths.items() if length > 400} == set(LONG_MODULES)


@pytest.mark.long
def test_functions_are_read_in_one_sitting() -> None:
    long = {
        f"{name}.{node.name}"
        for name, module in modules().items()
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.end_lineno or 0) - node.lineno >= 60
    }
    assert long == set(LONG_FUNCTIONS)


def _path(name: str) -> Path:
    path = PACKAGE.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_no_pattern_has_a_possessive_group() -> None:
    """Python before 3.11.5 reads ``(…)*+`` wrongly; possessive characters and classes are read rightly."""
    possessive = re.compile(r"\)(?:[*+?]|\{[0-9,]+\})\+")
    written = [
        f"{name}:{node.lineno}"
        for name, module in modules().items()
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and possessive.search(node.value)
    ]
    assert written == []
