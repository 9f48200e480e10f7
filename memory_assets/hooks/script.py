"""What an agent starts when it calls out: one file that needs nothing but Python, copied to where it is installed.

It reads the call's JSON from stdin and gives it to the server that runs; where none does, or it does not answer in time, the
call is put into the spool. It prints one JSON object, exits with 0 whatever happens, and leaves nothing running but a server,
where that is to be started on demand.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time

OWN_RUN = "MEMORY_ASSETS_OWN_RUN"
"""Set by this package's own processes: what they start is no session of a person."""
SETTINGS = "script.json"
MOST_SPOOLED_BYTES = 64 * 1024 * 1024
START_EVERY_SECONDS = 30

_DEADLINE_SECONDS = 2.0
_NOTHING_TO_HEAR_SECONDS = 1.0  # the deadline of an event that nothing is told at: agents kill the last of a session early
_RESERVE_SECONDS = 0.2  # of the deadline: for the spool, and for the agent to hear of the end
_KEPT_OF_A_TOOL = ("session_id", "conversation_id", "transcript_path", "cwd", "workspace_roots", "agent_id", "hook_event_name")
_FULL = "memory: what was typed could not be kept, the spool in {} is full or cannot be written; `memory serve` empties it"


def _seconds_since_the_process_began() -> float:
    """What the interpreter took to begin, which on a busy machine is long; 0 where the system does not tell."""
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        seconds = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0
    return seconds if 0 <= seconds < _DEADLINE_SECONDS else 0.0


_BEGUN = time.monotonic() - _seconds_since_the_process_began()


def main(arguments: list[str]) -> int:
    """Handle one call: EVENT [--agent NAME] [--home FOLDER]."""
    printed: object = {}
    os.umask(0o077)
    try:
        event, agent, home = _arguments(arguments)
        if not os.environ.get(OWN_RUN):
            printed = _handle(event, agent, home)
    except Exception as error:
        _say(f"memory hook: {type(error).__name__}: {error}")
    _write(json.dumps(printed).encode() + b"\n")
    return 0


def _handle(event: str, agent: str, home: str) -> dict[str, object]:
    settings = _json_file(os.path.join(home, "hooks", SETTINGS))
    deadline = _deadline(event, settings)
    _end_in_time(deadline)
    text = _stdin(deadline)
    payload = _parsed(text)
    if payload is None and not text.strip():
        return {}
    if isinstance(payload, dict):
        if _is_left_out(home, payload):
            return {}
        if event == "post-tool-use":
            payload = {key: payload[key] for key in _KEPT_OF_A_TOOL if key in payload}
        stamp = {"id": os.urandom(16).hex(), "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())}
        stamp["at"] += f".{time.time_ns() // 1000 % 1_000_000:06}+00:00"
        payload["memory_assets"] = stamp
        answer, is_running = _ask_server(home, event, agent, payload, deadline)
        if answer is not None:
            return answer
    else:
        if _is_left_out(home, {}):  # it says nothing that can be read: the agent works where it started this
            return {}
        payload, is_running = text, False  # what can be read of it is read later
    said: dict[str, object] = {}
    kept = event == "post-tool-use" or _spool(home, {"event": event, "agent": agent, "payload": payload})
    if not kept:
        _say(_FULL.format(home))
        if event == "user-prompt-submit" and agent != "cursor":
            said = {"systemMessage": _FULL.format(home)}
    if not is_running and settings.get("on_demand", True):
        _start_server(home, settings)
    return said


# -- what was given


def _arguments(arguments: list[str]) -> tuple[str, str, str]:
    event, agent, home = "", "claude-code", os.environ.get("MEMORY_HOME") or _default_home()
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word == "--agent" and waiting:
            agent = waiting.pop(0)
        elif word == "--home" and waiting:
            home = waiting.pop(0)
        elif not event:
            event = word
    return event, agent, os.path.abspath(os.path.expanduser(home))


def _default_home() -> str:
    """The folder for a user's data, as the package finds it by itself."""
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local"), "memory_assets")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/memory_assets")
    data = os.environ.get("XDG_DATA_HOME", "").strip()
    return os.path.join(data or os.path.expanduser("~/.local/share"), "memory_assets")


def _deadline(event: str, settings: dict[str, object]) -> float:
    """When an answer must be there, by the clock that never goes back."""
    seconds = settings.get("deadline_seconds")
    whole = float(seconds) if isinstance(seconds, (int, float)) and seconds > 0 else _DEADLINE_SECONDS
    if event not in ("session-start", "user-prompt-submit"):
        whole = min(whole, _NOTHING_TO_HEAR_SECONDS)
    return _BEGUN + max(whole - _RESERVE_SECONDS, whole / 2)


def _stdin(deadline: float) -> str:
    """What the agent sends. One that never ends is cut off at the deadline, and never before it had a moment to send it."""
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    if sys.platform == "win32":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    import select

    pieces = []
    until = max(deadline, time.monotonic() + _NOTHING_TO_HEAR_SECONDS)
    while select.select([0], [], [], max(0.0, until - time.monotonic()))[0]:
        piece = os.read(0, 1 << 16)
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces).decode("utf-8", "replace")


def _parsed(text: str) -> object:
    try:
        return json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None


def _json_file(path: str) -> dict[str, object]:
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_left_out(home: str, payload: dict[str, object]) -> bool:
    """Whether nothing is kept of what is said in the folder where the agent works."""
    roots = payload.get("workspace_roots")
    folder = payload.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None) or os.getcwd()
    if not isinstance(folder, str):
        return False
    try:
        with open(os.path.join(home, "hooks", "off.json"), encoding="utf-8") as file:
            listed = json.load(file)
    except (OSError, ValueError):
        listed = []
    names = {_real_path(one) for one in listed if isinstance(one, str)} if isinstance(listed, list) else set()
    return any(one in names or _exists(os.path.join(one, ".memoryignore")) for one in _with_those_above(folder))


def _with_those_above(folder: str) -> list[str]:
    """A folder and all above it, as it was given and as it is without links."""
    found = []
    for name in (folder, _real_path(folder)):
        while name and name not in found:
            found.append(name)
            name = os.path.dirname(name)
    return found


def _real_path(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:
        return False


# -- the server


def _ask_server(
    home: str, event: str, agent: str, payload: dict[str, object], deadline: float
) -> tuple[dict[str, object] | None, bool]:
    """What the server says, None where it does not; and whether there is one, which may only be slow."""
    server = _json_file(os.path.join(home, "server", "server.json"))
    port, pid, host = server.get("port"), server.get("pid"), _address(server.get("host"))
    if not isinstance(port, int) or not _is_mine(pid):
        return None, False
    try:
        with open(os.path.join(home, "server", "token"), encoding="ascii") as file:
            token = file.read().strip()
        with socket.create_connection((host, port), timeout=_left(deadline)) as connection:
            body = json.dumps(payload).encode("ascii")
            name = "".join(letter for letter in agent if letter.isalnum() or letter in "-_.")
            named = f"[{host}]" if ":" in host else host
            head = (
                f"POST /hooks/{event}?agent={name} HTTP/1.1\r\nHost: {named}:{port}\r\nAuthorization: Bearer {token}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            )
            connection.sendall(head.encode("ascii", "replace") + body)
            return _answer(connection, deadline), True
    except ConnectionRefusedError:
        return None, False
    except (OSError, ValueError):
        return None, True


def _address(host: object) -> str:
    """Where a server is reached from this machine; what listens on all addresses is by loopback."""
    if not isinstance(host, str) or host == "0.0.0.0":
        return "127.0.0.1"
    return "::1" if host == "::" else host


def _is_mine(pid: object) -> bool:
    """Whether the process that wrote where it listens still runs: else anybody may listen there by now."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _answer(connection: socket.socket, deadline: float) -> dict[str, object] | None:
    received = b""
    while True:
        connection.settimeout(_left(deadline))
        piece = connection.recv(1 << 16)
        if not piece:
            break
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)
    if len(status) < 2 or status[1] != b"200":
        return None
    value = json.loads(body)
    return value if isinstance(value, dict) else None


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _start_server(home: str, settings: dict[str, object]) -> None:
    """Start the server for the next call, at most once in a while, and do not wait for it."""
    command = settings.get("start") or _found_command()
    if not isinstance(command, list) or not command or sys.platform == "win32":
        return
    import fcntl

    stamp = os.open(os.path.join(home, "hooks", "started"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(stamp, fcntl.LOCK_EX | fcntl.LOCK_NB)
        state = os.fstat(stamp)
        if state.st_size and time.time() - state.st_mtime < START_EVERY_SECONDS:
            return
        os.ftruncate(stamp, 0)
        os.write(stamp, b"%d\n" % int(time.time()))
        import subprocess

        environment = {**os.environ, "MEMORY_HOME": home, OWN_RUN: "1"}
        nothing = subprocess.DEVNULL
        words = [str(word) for word in command]
        subprocess.Popen(
            words, stdin=nothing, stdout=nothing, stderr=nothing, env=environment, cwd=home, start_new_session=True
        )
    except OSError:
        pass
    finally:
        os.close(stamp)


def _found_command() -> list[str]:
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        program = os.path.join(folder, "memory")
        if os.path.isabs(program) and os.access(program, os.X_OK):
            return [program, "serve", "run", "--on-demand"]
    return []


# -- the spool


def _spool(home: str, call: dict[str, object]) -> bool:
    """Add a call to the spool in one write; whether it was kept.

    Who empties the spool renames it first. So it is written under a lock, and only while the file still has its name.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # what was typed is worth the moment that it takes
    # It begins on a line of its own, also behind one that a full disk cut.
    line = b"\n" + json.dumps(call).encode("ascii") + b"\n"
    folder = os.path.join(home, "hooks", "spool")
    path = os.path.join(folder, "calls.jsonl")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        for _ in range(10):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                _lock(handle)
                state = os.fstat(handle)
                if not _still_has_its_name(path, state):
                    continue
                return state.st_size + len(line) <= MOST_SPOOLED_BYTES and os.write(handle, line) == len(line)
            finally:
                os.close(handle)
    except OSError:
        return False
    return False


def _lock(handle: int) -> None:
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_SH)


def _still_has_its_name(path: str, state: os.stat_result) -> bool:
    try:
        named = os.stat(path)
    except OSError:
        return False
    return (named.st_ino, named.st_dev) == (state.st_ino, state.st_dev)


# -- the end


class _NoLonger(OSError):
    """Who called waits no longer."""


def _end_in_time(deadline: float) -> None:
    """Whoever ends this ends its waiting, and the call is kept; a disk that hangs holds nobody up for ever."""

    def stop_waiting(*_: object) -> None:
        raise _NoLonger("who called waits no longer")

    def end(*_: object) -> None:
        _write(b"{}\n")
        os._exit(0)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop_waiting)
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, max(0.0, deadline - time.monotonic()) + 3 * _NOTHING_TO_HEAR_SECONDS)


def _write(data: bytes) -> None:
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        pass


def _say(text: str) -> None:
    try:
        os.write(2, text.encode("utf-8", "replace") + b"\n")
    except OSError:
        pass


if __name__ == "__main__":
    main(sys.argv[1:])
    os._exit(0)  # nothing of the interpreter's own end can fail or take time
