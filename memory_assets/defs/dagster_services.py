"""``python -m memory_assets.defs.dagster_services``: what ``dagster dev`` starts, with the web server guarded.

``dagster dev`` has no option for another web server. Its command runs here, in this process, and the one call with which it
starts the server is given another module's name. Should Dagster start it otherwise one day, nothing is started at all.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from dagster._cli import dev, main

_WEBSERVER = ["-m", "dagster_webserver"]
_GUARDED = ["-m", "memory_assets.defs.guarded_webserver"]
_open = getattr(dev, "open_ipc_subprocess")  # noqa: B009


class _Guarding:
    """Starts Dagster's services; the first of them has to be the web server."""

    def __init__(self) -> None:
        self._is_guarded = False

    def __call__(self, parts: Sequence[str], **options: Any) -> Any:
        if list(parts[1:3]) == _WEBSERVER:
            self._is_guarded = True
            parts = [parts[0], *_GUARDED, *parts[3:]]
        if not self._is_guarded:
            raise RuntimeError("this release of Dagster starts its web server in a way that cannot be guarded; none is started")
        return _open(parts, **options)


if __name__ == "__main__":
    setattr(dev, "open_ipc_subprocess", _Guarding())  # noqa: B010
    sys.argv = ["dagster", "dev", *sys.argv[1:]]
    main()  # type: ignore[no-untyped-call]
