"""The JSON Schemas as files: ``memory_assets/wire/v1/<name>.schema.json``, checked in and shipped.

``make schemas`` runs this module; a test holds that the files are what it writes.
"""

from __future__ import annotations

import json
from pathlib import Path

from memory_assets.results.registry import PRINTED, schema_of

FOLDER = Path(__file__).parents[1] / "wire" / "v1"


def schema_files() -> dict[str, str]:
    """The text of every file, by its name."""
    return {
        f"{schema_id.removesuffix('.v1')}.schema.json": json.dumps(
            schema_of(schema_id), ensure_ascii=False, indent=2, sort_keys=True
        )
        + "\n"
        for schema_id in PRINTED
    }


def write_schema_files(folder: Path = FOLDER) -> list[str]:
    """Bring the files up to date, and take away those of schemas that are no more; the names of what changed."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = schema_files()
    stale = [path for path in folder.glob("*.schema.json") if path.name not in wanted]
    for path in stale:
        path.unlink()
    changed = [path.name for path in stale]
    for name, text in wanted.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(name)
    return sorted(changed)


if __name__ == "__main__":
    print("\n".join(write_schema_files()) or "nothing changed")
