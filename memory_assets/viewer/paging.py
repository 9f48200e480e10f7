"""Which page of a list is shown, and whether there is such a one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.errors import NotFoundError

if TYPE_CHECKING:
    from memory_assets.viewer.page import Page


@dataclass(frozen=True, slots=True)
class Paged:
    """A page of a list, from 1, of a list with ``total`` rows."""

    page: int
    size: int
    total: int

    @property
    def pages(self) -> int:
        """How many there are; an empty list has one."""
        return max(1, -(-self.total // self.size))

    @property
    def first(self) -> int:
        """Rows before this page."""
        return (self.page - 1) * self.size


def paged(page: Page, size: int, total: int) -> Paged:
    """The page that an address asks for.

    Raises:
        InvalidArgumentError: it is no number.
        NotFoundError: it lies behind the last one.
    """
    found = Paged(page.asked_number("page", default=1), size, total)
    if found.page > found.pages:
        raise NotFoundError(f"there is no page {found.page:,}", hint=f"the last one is page {found.pages:,}")
    return found
