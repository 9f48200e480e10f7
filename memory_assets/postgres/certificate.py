"""Why a server's certificate is not trusted: the client library says that it is not, and nothing more."""

from __future__ import annotations

import contextlib
import socket
import ssl
from typing import Any

# By what the client library's messages are known.
_REFUSED = ("certificate verify failed", "does not match host name")
_SECONDS = 3.0
# What a client sends first to be answered by TLS.
_TLS_PLEASE = bytes.fromhex("0000000804d2162f")


def is_refused(said: str) -> bool:
    """Whether a message of the client library is of a certificate that it does not trust."""
    return any(words in said for words in _REFUSED)


def why_refused(url: str) -> str | None:
    """What is wrong with the certificate that a server shows, asked of it once more; None where nobody can tell."""
    from psycopg import Error
    from psycopg.conninfo import conninfo_to_dict

    with contextlib.suppress(OSError, ValueError, LookupError, Error):
        wanted = conninfo_to_dict(url)
        try:
            _greet(wanted)
        except ssl.SSLCertVerificationError as error:
            return error.verify_message
    return None


def _greet(wanted: dict[str, Any]) -> None:
    host = str(wanted.get("hostaddr") or wanted["host"])
    asked = ssl.create_default_context(cafile=_authorities(wanted))
    asked.check_hostname = wanted.get("sslmode") == "verify-full"
    with socket.create_connection((host, int(wanted.get("port") or 5432)), timeout=_SECONDS) as connection:
        connection.sendall(_TLS_PLEASE)
        if connection.recv(1) == b"S":
            asked.wrap_socket(connection, server_hostname=str(wanted.get("host") or host)).close()


def _authorities(wanted: dict[str, Any]) -> str | None:
    named = wanted.get("sslrootcert")
    return None if named in (None, "system") else str(named)
