"""``python -m memory_assets`` is the command ``memory``, also where its script is not installed."""

from __future__ import annotations

import sys

from memory_assets.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
