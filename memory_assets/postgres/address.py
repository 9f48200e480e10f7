"""Where PostgreSQL is: an address without a password, and what may be shown of whatever it answers.

The password comes from ``PGPASSWORD`` or a passfile (``PGPASSFILE``, ``~/.pgpass``), which the client library reads itself:
nothing of ours holds it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

_PASSWORDS = ("PGPASSWORD",)
_MASK = "[SECRET:password]"
_IN_ADDRESS = re.compile(r"(?i)(postgres(?:ql)?://[^\s:/@\"']*):[^\s@\"']*@")
_AS_PARAMETER = re.compile(r"(?i)\b((?:ssl)?password)(\s*=\s*)('[^']*'|[^\s&\"']+)")
_MOST_TOLD = 300


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """An address as the settings give it; they hold none with a password."""

    url: str

    def __str__(self) -> str:
        """Where it is, for people: host, port and database."""
        parts = urlsplit(self.url)
        query = parse_qs(parts.query)
        host = parts.hostname or query.get("host", ["the local socket"])[0]
        try:
            port = f":{parts.port}" if parts.port else ""
        except ValueError:  # no number: whoever connects says so
            port = ""
        return masked(f"PostgreSQL at {host}{port}{parts.path}")


def masked(text: str) -> str:
    """A message of the server or its client in one line, without any password that it may repeat."""
    line = " ".join(text.split())
    for name in _PASSWORDS:
        if secret := os.environ.get(name):
            line = line.replace(secret, _MASK)
    line = _IN_ADDRESS.sub(rf"\1:{_MASK}@", line)
    return _AS_PARAMETER.sub(rf"\1\2{_MASK}", line)[:_MOST_TOLD]
