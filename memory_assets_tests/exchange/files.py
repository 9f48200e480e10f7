"""Exports as bytes, whole and damaged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from memory_assets.exchange.format import Footer, line_of
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.events import event_id_of

Event = dict[str, Any]


def lines_of(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines(keepends=True)


def sealed(lines: Sequence[bytes]) -> bytes:
    """Header and events with a footer that fits them, as somebody writes it who knows the format."""
    body = b"".join(lines)
    return body + line_of(Footer(events=len(lines) - 1, sha256=hashlib.sha256(body).hexdigest()))


def forged(file: Path, change: Callable[[list[Event]], list[Event]]) -> Path:
    """An export whose events were changed, with counts, checksums and ids that fit again."""
    header, *lines, _ = lines_of(file)
    events = change([json.loads(line) for line in lines])
    for event in events:
        event["checksum"] = sha256_hex(canonical_json(event["payload"]))
        event["event_id"] = event_id_of(event["dedupe_key"])
    head = json.loads(header) | {"events": len(events)}
    file.write_bytes(sealed([line_of(head), *(line_of(event) for event in events)]))
    return file
