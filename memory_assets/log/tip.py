"""The tip: where the log ended when the store was last written, kept in a file beside it.

The links of the log hold its events together, and nothing holds its end: that is what the tip is for. The file says where
the log ends *now*, and while a transaction is being committed also where it is *coming* to. So a process may be killed at any
moment: the log then ends at one or the other, and nowhere else.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from memory_assets.log.errors import of_system
from memory_assets.log.private_file import put_in_place

TIP_FILE_NAME = "store.tip"
FIRST_LINK = bytes(32)
"""What stands for the link before the first event."""

TipTrouble = Literal["missing", "unreadable"]


class Tip(NamedTuple):
    """An event's seq and link (32 bytes); seq 0 and :data:`FIRST_LINK` for an empty log."""

    seq: int
    link_hash: bytes


FIRST = Tip(0, FIRST_LINK)


@dataclass(frozen=True, slots=True)
class Tips:
    """What the file says.

    Attributes:
        now: where the log ended when the last transaction was done.
        coming: where it ends if the one that was begun then was committed; None where none was begun.
    """

    now: Tip
    coming: Tip | None = None


def read_tips(folder: Path) -> Tips | TipTrouble:
    """The tip beside the store in ``folder``, to be read under the store's lock.

    Raises:
        StoreError: the system refuses to read the file.
    """
    path = folder / TIP_FILE_NAME
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        coming = said.get("coming")
        return Tips(_parsed(said["now"]), _parsed(coming) if coming else None)
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        raise of_system(error, path) from error
    except (ValueError, KeyError, TypeError, AttributeError):
        return "unreadable"


def write_tips(folder: Path, tips: Tips) -> None:
    """Put the file in place, whole and on the disk, private to its owner. To be called under the store's exclusive lock.

    Raises:
        StoreFullError, StoreError: it cannot be written; the file that was there stays.
    """
    path = folder / TIP_FILE_NAME
    unfinished = folder / f"{TIP_FILE_NAME}.new"
    text = json.dumps({"now": _spelled(tips.now)} | ({"coming": _spelled(tips.coming)} if tips.coming else {}))
    try:
        put_in_place(path, f"{text}\n", unfinished=unfinished)
    except OSError as error:
        raise of_system(error, path) from error


def _spelled(tip: Tip) -> dict[str, object]:
    return {"seq": tip.seq, "link_hash": tip.link_hash.hex()}


def _parsed(said: dict[str, object]) -> Tip:
    seq, link = said["seq"], bytes.fromhex(str(said["link_hash"]))
    if type(seq) is not int or seq < 0 or len(link) != len(FIRST_LINK):
        raise ValueError("no tip")
    return Tip(seq, link)
