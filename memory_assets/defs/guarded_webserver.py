"""``python -m memory_assets.defs.guarded_webserver``: Dagster's web server, with its own page as the only one that may ask."""

from __future__ import annotations

from typing import Any

from dagster_webserver import cli
from starlette.types import ASGIApp

from memory_assets.defs.own_page import OwnPageOnly

_create_app = getattr(cli, "create_app_from_workspace_process_context")  # noqa: B009


def _guarded_app(*arguments: Any, **options: Any) -> ASGIApp:
    return OwnPageOnly(_create_app(*arguments, **options))


def main() -> None:
    """Serve until told to stop, by Dagster's own command line."""
    # The one place where the server's command line makes its application.
    setattr(cli, "create_app_from_workspace_process_context", _guarded_app)  # noqa: B010
    cli.main()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
