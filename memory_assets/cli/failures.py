"""Every way in which a command can end, as an exit code and at most two lines; never a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING

import typer

from memory_assets import stopping
from memory_assets.cli.interruption import INTERRUPTED
from memory_assets.cli.invocation import FAILED, OK
from memory_assets.cli.output import json_text, one_line
from memory_assets.errors import MemoryAssetsError, of_the_machine

if TYPE_CHECKING:
    from collections.abc import Callable

# typer carries its own copy of click or uses the installed one, by its version: its public error leads to either's base.
_USAGE_ERROR: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def guarded(action: Callable[[], int | None], *, as_json: bool) -> int:
    """Run a command; what it raises becomes lines on stderr and an exit code."""
    try:
        code = action() or 0
        sys.stdout.flush()
        # typer answers an interrupt with this code and without a word.
        return _interrupted(as_json) if code == INTERRUPTED else code
    except typer.Exit as error:
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted(as_json)
    except SystemExit as error:
        # typer leaves so when the reader of our output has gone, with the code of a crash.
        return OK if isinstance(error.__context__, BrokenPipeError) else int(error.code or 0)
    except BrokenPipeError:
        # The interpreter flushes once more at its end, so give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except MemoryAssetsError as error:
        _trace(error)
        told = of_the_machine(error) or error
        _report(told.code, str(told), told.hint, as_json=as_json)
    except OSError as error:
        _trace(error)
        if (full := of_the_machine(error)) is not None:
            _report(full.code, f"{full}{f' ({error.filename})' if error.filename else ''}", full.hint, as_json=as_json)
            return FAILED
        where = f"{error.filename}: " if error.filename else ""
        _report(
            "io_error", f"{where}{error.strerror or error}", "check that path, its rights and the free space", as_json=as_json
        )
    except Exception as error:
        if isinstance(error, _USAGE_ERROR):
            message = error.format_message()  # type: ignore[attr-defined]
            if not message:  # a group without a command has printed its help
                return OK
            _report("invalid_argument", message, f"`{_command_of(error)} --help` shows what it takes", as_json=as_json)
        else:
            _trace(error)
            if (meant := of_the_machine(error)) is not None:
                _report(meant.code, str(meant), meant.hint, as_json=as_json)
                return FAILED
            _report("generic", f"{type(error).__name__}: {error}", "set MEMORY_DEBUG=1 for the traceback", as_json=as_json)
    return FAILED


def _interrupted(as_json: bool) -> int:
    report_interrupted(as_json=as_json)
    return INTERRUPTED


def report_interrupted(*, as_json: bool) -> None:
    """What was done before somebody ended the command, and how to go on: one line on stderr."""
    done = stopping.done_so_far()
    said = f"interrupted; {done}" if done else "interrupted"
    go_on = "what was done is kept, run the same command again for the rest"
    if as_json:
        _report("interrupted", said, go_on, as_json=True)
    else:
        sys.stderr.write(f"{one_line(said)}; {go_on}\n")


def _report(code: str, message: str, hint: str, *, as_json: bool) -> None:
    if as_json:
        from memory_assets.results.error import ErrorV1

        sys.stderr.write(json_text(ErrorV1(code=code, message=message, hint=hint)) + "\n")
        return
    sys.stderr.write(f"error: {one_line(message)}\n")
    if hint:
        sys.stderr.write(f"hint: {one_line(hint)}\n")


def _trace(error: BaseException) -> None:
    if os.environ.get("MEMORY_DEBUG"):
        sys.stderr.write("".join(traceback.format_exception(error)))


def _command_of(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return str(context.command_path) if context is not None else "memory"
