"""Links from Dagster's pages to what shows a citation."""

from __future__ import annotations

from urllib.parse import quote

from memory_assets.settings_sections import VIEWER_PLACE


def viewed(address: str, viewer_url: str | None) -> str:
    """An address in Markdown: a link where the settings name a viewer, else the address alone, to be copied.

    Args:
        address: of a session, message or span.
        viewer_url: of the viewer, with a place for the address.
    """
    shown = f"`{address}`"
    if viewer_url is None:
        return shown
    return f"[{shown}]({viewer_url.replace(VIEWER_PLACE, quote(address, safe=''))})"
