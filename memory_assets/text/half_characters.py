"""Halves of a character: code points that escapes can name and that no encoding can store."""

from __future__ import annotations

import re
from typing import Final

HALF: Final = re.compile("[\ud800-\udfff]")
"""A lone surrogate."""

UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
"""The same and NUL, the end of text to too many readers: neither stands in any session."""
