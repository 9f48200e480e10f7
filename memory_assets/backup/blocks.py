"""The checksums of a DuckDB file: which blocks are damaged, and how to make DuckDB read them all the same.

DuckDB keeps a checksum in front of each of its three headers and of each block, and refuses the whole file where one does not
fit. On a copy the sums are made anew: what is damaged is then read as it is, and the events' own checksums tell what is sound.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_HEADER = 4096
_HEADERS = 3
_SUM = 8
_FACTOR = 0xBF58476D1CE4E5B9
_START = 5381
DEFAULT_BLOCK = 262_144
_BLOCK_COUNT_AT = 32  # in a database header, behind sum, iteration, meta block and free list
_BLOCK_SIZE_AT = 40


@dataclass(frozen=True, slots=True)
class Mended:
    """What was found: the numbers of the headers (0 to 2) and blocks whose sum did not fit, and how many bytes were missing."""

    headers: tuple[int, ...]
    blocks: tuple[int, ...]
    missing_bytes: int


def mend(path: Path) -> Mended:
    """Give each damaged part of the file its sum, and a file that was cut off its length. To be used on a copy.

    A damaged database header is overwritten with the other one, which is as it was at the checkpoint before.
    """
    size = path.stat().st_size
    with path.open("r+b") as file:
        headers = []
        parts = []
        for number in range(_HEADERS):
            file.seek(number * _HEADER)
            part = file.read(_HEADER).ljust(_HEADER, b"\0")
            if not _fits(part):
                headers.append(number)
            parts.append(part)
        sound = [part for number, part in enumerate(parts) if number and number not in headers]
        for number in headers:
            # The one that says what a file is holds nothing but that: its sum is enough.
            part = sound[0] if number and sound else parts[number]
            file.seek(number * _HEADER)
            file.write(_summed(part))
        newest = max(sound or parts[1:], key=lambda part: _number(part, _SUM))
        block = _number(newest, _BLOCK_SIZE_AT) if sound else DEFAULT_BLOCK
        if block not in (1 << power for power in range(14, 19)):
            block = DEFAULT_BLOCK
        start = _HEADER * _HEADERS
        count = _number(newest, _BLOCK_COUNT_AT) if sound else max(0, size - start) // block
        wanted = start + min(count, 1 << 24) * block
        if sound and size < wanted:
            file.truncate(wanted)
        damaged = []
        for number in range(max(0, path.stat().st_size - start) // block):
            file.seek(start + number * block)
            part = file.read(block)
            if not _fits(part):
                damaged.append(number)
                file.seek(start + number * block)
                file.write(_summed(part))
    return Mended(tuple(headers), tuple(damaged), max(0, wanted - size) if sound else 0)


def go_back(path: Path) -> bool:
    """Put the older database header in the place of the newer one: the store of the checkpoint before. Whether it differs."""
    with path.open("r+b") as file:
        file.seek(_HEADER)
        headers = [file.read(_HEADER), file.read(_HEADER)]
        older = min(headers, key=lambda part: _number(part, _SUM))
        newer = headers.index(max(headers, key=lambda part: _number(part, _SUM)))
        file.seek(_HEADER * (1 + newer))
        file.write(older)
    return headers[0] != headers[1]


def _number(part: bytes, at: int) -> int:
    return int.from_bytes(part[at : at + 8], "little")


def _fits(part: bytes) -> bool:
    return part[:_SUM] == _sum_of(part)


def _summed(part: bytes) -> bytes:
    return _sum_of(part) + part[_SUM:]


def _sum_of(part: bytes) -> bytes:
    import numpy as np

    words = np.frombuffer(part, dtype="<u8", offset=_SUM)
    total = int(np.bitwise_xor.reduce(words * np.uint64(_FACTOR))) ^ _START
    return total.to_bytes(_SUM, "little")
