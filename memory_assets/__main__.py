"""The command ``memory``, also as ``python -m memory_assets`` where its script is not installed.

What the command line needs takes a moment to be imported. Whoever interrupts it meanwhile gets an end like any other: no
traceback, and the code of an interrupt. What comes behind the command, while the interpreter takes itself apart, changes
nothing any more.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

_INTERRUPTED = 130
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def main() -> int:
    """Run the command that the process was started with; its exit code."""
    atexit.register(_ignore_signals)  # called last, for it is registered first
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        # An agent waits for it: nothing of the command line is imported.
        from memory_assets.hooks.script import main as hook

        return hook(sys.argv[2:])
    from memory_assets.interpreter import prepare

    prepare()
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
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    return code


def _leave(_number: int, _frame: FrameType | None) -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, b"interrupted; what was done is kept, run the same command again for the rest\n")
    os._exit(_INTERRUPTED)


def _ignore_signals() -> None:
    """From here on the interpreter would give signals back their own way: a command that has done its work would die of one."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
