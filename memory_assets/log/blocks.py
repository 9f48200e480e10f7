"""The checksums of a DuckDB file: which blocks are damaged, and how to make DuckDB read them all the same.

DuckDB keeps a checksum in front of each of its three headers and of each block, and refuses the whole file where one does not
fit. On a copy the sums are made anew: what is damaged is then read as it is, and the events' own checksums tell what is sound.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

_HEADER = 4096
_HEADERS = 3
_SUM = 8
_FACTOR = 0xBF58476D1CE4E5B9
_START = 5381
DEFAULT_BLOCK = 262_144
_BLOCK_COUNT_AT = 32  # in a database header, behind sum, iteration, meta block and free list
_BLOCK_SIZE_AT = 40


@dataclass(frozen=True, slots=True)
class Damage:
    """What is wrong with a file.

    Attributes:
        headers, blocks: the numbers of those whose sum does not fit, headers from 0 to 2.
        missing_bytes: how much shorter it is than its header says.
    """

    headers: tuple[int, ...]
    blocks: tuple[int, ...]
    missing_bytes: int

    def told(self) -> list[str]:
        """Each of them in words."""
        return [
            *(f"header {number} is damaged" for number in self.headers),
            *(f"block {number} is damaged" for number in self.blocks),
            *([f"{self.missing_bytes} bytes are missing at the end"] if self.missing_bytes else []),
        ]


def damage_of(path: Path, *, is_written: bool = False) -> Damage:
    """Read the whole file, also the blocks that hold nothing now, at which DuckDB does not look.

    Args:
        is_written: every block was; otherwise one of zeros is one that was set aside and never used. DuckDB counts such blocks
            at the end of a file too, so that a sound file may be shorter than its header says.
    """
    with path.open("rb") as file:
        headers = _headers(file)
        layout = _layout(headers, path.stat().st_size)
        blocks = tuple(number for number in range(layout.blocks) if not _holds(_block(file, layout, number), is_written))
    return Damage(tuple(number for number, part in enumerate(headers) if not _fits(part)), blocks, layout.missing_bytes)


def checkpoint_number(path: Path) -> int:
    """The number of the file's last checkpoint; 0 where no header is whole."""
    with path.open("rb") as file:
        return max((_number(part, _SUM) for part in _sound(_headers(file))), default=0)


def mend(path: Path) -> Damage:
    """Give each damaged part of the file its sum, and a file that was cut off its length. To be used on a copy.

    A damaged database header is overwritten with the other one, which is as it was at the checkpoint before.
    """
    with path.open("rb") as file:
        parts = _headers(file)
        layout = _layout(parts, path.stat().st_size)
    if layout.missing_bytes:
        os.truncate(path, path.stat().st_size + layout.missing_bytes)
    damage = damage_of(path, is_written=True)
    sound = _sound(parts)
    with path.open("r+b") as file:
        for number in damage.headers:
            # The one that says what a file is holds nothing but that: its sum is enough.
            file.seek(number * _HEADER)
            file.write(_summed(sound[0] if number and sound else parts[number]))
        for number in damage.blocks:
            part = _block(file, layout, number)
            file.seek(layout.place(number))
            file.write(_summed(part))
    return replace(damage, missing_bytes=layout.missing_bytes)


@dataclass(frozen=True, slots=True)
class _Layout:
    """How many whole blocks of how many bytes there are, and how many bytes the file lacks of what its header counts."""

    block: int
    blocks: int
    missing_bytes: int

    def place(self, number: int) -> int:
        return _HEADER * _HEADERS + number * self.block


def _headers(file: BinaryIO) -> list[bytes]:
    file.seek(0)
    return [file.read(_HEADER).ljust(_HEADER, b"\0") for _ in range(_HEADERS)]


def _sound(headers: Sequence[bytes]) -> list[bytes]:
    """The database headers that are whole."""
    return [part for part in headers[1:] if _fits(part)]


def _layout(headers: Sequence[bytes], size: int) -> _Layout:
    sound = _sound(headers)
    newest = max(sound or headers[1:], key=lambda part: _number(part, _SUM))
    block = _number(newest, _BLOCK_SIZE_AT) if sound else DEFAULT_BLOCK
    if block not in (1 << power for power in range(14, 19)):
        block = DEFAULT_BLOCK
    start = _HEADER * _HEADERS
    stored = max(0, size - start) // block
    counted = min(_number(newest, _BLOCK_COUNT_AT), 1 << 24) if sound else stored
    return _Layout(block, stored, max(0, start + counted * block - size))


def _block(file: BinaryIO, layout: _Layout, number: int) -> bytes:
    file.seek(layout.place(number))
    return file.read(layout.block)


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


def _holds(part: bytes, is_written: bool) -> bool:
    return _fits(part) or not (is_written or any(part))


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
