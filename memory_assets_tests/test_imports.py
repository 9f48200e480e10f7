"""Heavy imports are late: each of these costs a second and more."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memory_assets_tests.defs.files import chat
from memory_assets_tests.depth import cases
from memory_assets_tests.filled_store import fill

HEAVY = ("torch", "sentence_transformers", "transformers", "litellm", "openai", "psycopg", "psycopg_pool")
SHOW = f"""
import sys
loaded = sorted({{name.partition('.')[0] for name in sys.modules}} & {{*{HEAVY!r}, 'lancedb', 'dagster', 'duckdb', 'pandas'}})
print('LOADED', *loaded, file=sys.stderr)
"""


def loaded_by(code: str, home: Path) -> set[str]:
    """The heavy packages that a fresh process has loaded behind some code."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_")}
    environment |= {"MEMORY_HOME": str(home), "MEMORY_EMBEDDING_MODEL": "bundled"}
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{SHOW}"], env=environment, capture_output=True, text=True, check=True
    )
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("LOADED")]
    return set(line.split()[1:])


def command(*arguments: str) -> str:
    return f"from memory_assets.cli.main import main\nassert main({list(arguments)!r}) == 0"


@pytest.mark.parametrize("arguments", cases([("--help",), ("import", "--help")], [(("search", "--help"),), (("--version",),)]))
def test_help_loads_nothing(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert loaded_by(command(*arguments), tmp_path) == set()


@pytest.mark.long
def test_the_code_location_loads_dagster_alone(tmp_path: Path) -> None:
    assert loaded_by("import memory_assets.definitions", tmp_path) <= {"dagster", "duckdb"}


def test_the_facade_loads_nothing_before_it_is_asked(tmp_path: Path) -> None:
    code = "from memory_assets.memory import Memory; from memory_assets.settings import load_settings; Memory(load_settings())"
    assert loaded_by(code, tmp_path) <= {"duckdb"}


@pytest.mark.long
def test_lexical_search_loads_lancedb_alone(tmp_path: Path) -> None:
    # The store was made by another model, which costs nothing here: words are searched, and no model is asked.
    fill(tmp_path)
    searching = command("--set", "embedding.model=hashing", "search", "Redis", "--mode", "lexical")
    assert loaded_by(searching, tmp_path) == {"duckdb", "lancedb"}
    assert loaded_by(command("entries", "list"), tmp_path) <= {"duckdb"}


@pytest.mark.long
def test_an_import_that_finds_nothing_new_leaves_dagsters_records_alone(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "manifest.json").write_text('{"no": "session"}')
    nothing = f"from memory_assets.cli.main import main\nassert main(['import', {str(tmp_path / 'notes')!r}]) == 1"
    unloaded = "import sys\nassert not {'sqlalchemy', 'alembic'} & sys.modules.keys()"
    assert "dagster" in loaded_by(f"{nothing}\n{unloaded}", tmp_path / "home")


@pytest.mark.long
def test_an_import_of_what_is_known_loads_no_index(tmp_path: Path) -> None:
    home, inbox = tmp_path / "home", tmp_path / "inbox"
    chat(inbox, "one", ["We decided to keep the ledger in one region because it is simple."])
    importing = command("import", str(inbox))
    assert "lancedb" in loaded_by(importing, home)
    assert "lancedb" not in loaded_by(importing, home)
    shutil.rmtree(next((home / "vectors").glob("vectors_*.lance")))
    assert "lancedb" in loaded_by(importing, home), "somebody removed the vectors"
    assert "lancedb" not in loaded_by(importing, home)
