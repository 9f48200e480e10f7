"""The command ``memory``, also as ``python -m memory_assets`` where its script is not installed.

What the command line needs takes a moment to be imported. Whoever interrupts it meanwhile gets an end like any other: no
traceback, and the code of an interrupt.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

_INTERRUPTED = 130


def main() -> int:
    """Run the command that the process was started with; its exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)
    from memory_assets.cli.main import main as run

    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    code = run()
    if code == _INTERRUPTED:
        # Threads of libraries would be waited for, which nobody wants who interrupts.
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    return code


def _leave(_number: int, _frame: FrameType | None) -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, b"interrupted; what was done is kept, run the same command again for the rest\n")
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
