"""Our entries in the text of an agent's settings: put in, taken out, told from those of others, which stay as they are."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

from memory_assets.client_settings.json_text import parsed, with_item, with_value, without_item, without_value
from memory_assets.hooks.agents import AgentHooks
from memory_assets.hooks.events import HOOK_EVENTS

HOOKS = "hooks"
SCRIPT = "memory_hook.py"
"""What the installed script is called, wherever it lies."""
_PROGRAMS = ("memory", "memory.exe")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")


class NotAsExpectedError(ValueError):
    """The settings are JSON and say of hooks what no agent understands; the message says where."""


def with_ours(text: str, hooks: AgentHooks, commands: Mapping[str, str]) -> str:
    """The text with our entry at each event, and nowhere else; the same text where it is so.

    Args:
        commands: by the agent's name of an event.

    Raises:
        InvalidJsonError, NotAsExpectedError
    """
    for event in entries_of(text):
        if event not in commands:
            text = _without_ours_at(text, event)
    for event, command in commands.items():
        wanted = hooks.entry(command)
        if [entry for entry in entries_of(text).get(event, []) if any(map(is_our_command, commands_in(entry)))] != [wanted]:
            text = with_item(_without_ours_at(text, event), (HOOKS, event), wanted)
    for key, value in (hooks.root or {}).items():
        if key not in parsed(text):
            text = with_value(text, (key,), value)
    return text


def without_ours(text: str, before: Mapping[str, Any]) -> str:
    """The text without any entry of ours, and without the lists and the object that were made for them.

    Args:
        before: what the settings said before ours were put in, as far as that is known.

    Raises:
        InvalidJsonError, NotAsExpectedError
    """
    made = HOOKS not in before
    had = before.get(HOOKS)
    for event in entries_of(text):
        text = _without_ours_at(text, event)
        if not entries_of(text)[event] and (made or event not in (had if isinstance(had, Mapping) else {})):
            text = without_value(text, (HOOKS, event))
    if made and parsed(text).get(HOOKS) == {}:
        text = without_value(text, (HOOKS,))
    return text


def entries_of(text: str) -> dict[str, list[Any]]:
    """The entries of each event, whoever's they are.

    Raises:
        InvalidJsonError, NotAsExpectedError
    """
    hooks = parsed(text).get(HOOKS, {})
    if not isinstance(hooks, dict):
        raise NotAsExpectedError(f"{HOOKS} is no object")
    for event, entries in hooks.items():
        if not isinstance(entries, list) and event not in ("enabled", "disabled"):  # Gemini has switches among them
            raise NotAsExpectedError(f"{HOOKS}.{event} is no list")
    return {event: entries for event, entries in hooks.items() if isinstance(entries, list)}


def is_our_command(entry: object) -> bool:
    """Whether a command starts our script, wherever that lies, or the command ``memory hook``, with an event of ours.

    It has to be exactly that: whoever's else a command is, it stays.
    """
    command = entry.get("command") if isinstance(entry, Mapping) else None
    words = _words(command) if isinstance(command, str) else []
    name = _file_name(words[0]) if words else ""
    if name in _PROGRAMS:
        words = words[_options_end(words) :]
        return len(words) > 1 and words[0] == "hook" and words[1] in HOOK_EVENTS
    if name.startswith("python"):
        words = words[next((place for place, word in enumerate(words[1:], 1) if not word.startswith("-")), len(words)) :]
    return len(words) > 1 and _file_name(words[0]) == SCRIPT and words[1] in HOOK_EVENTS


def commands_in(entry: object) -> list[Any]:
    """The commands of an entry: those of a group, or the entry itself."""
    inner = entry.get(HOOKS) if isinstance(entry, Mapping) else None
    return inner if isinstance(inner, list) else [entry]


def _words(command: str) -> list[str]:
    """The words of a command behind the variables that it sets; none where a shell would not take it."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    return words[next((place for place, word in enumerate(words) if not _VARIABLE.match(word)), len(words)) :]


def _options_end(words: list[str]) -> int:
    """Where the options in front of the command ``memory X`` end: each has a value of its own, or holds it."""
    place = 1
    while place < len(words) and words[place].startswith("-"):
        place += 1 if words[place].startswith("--") and "=" in words[place] else 2
    return place


def _file_name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def _without_ours_at(text: str, event: str) -> str:
    entries = entries_of(text).get(event, [])
    for number in reversed(range(len(entries))):
        commands = commands_in(entries[number])
        ours = [place for place, command in enumerate(commands) if is_our_command(command)]
        if ours and len(ours) == len(commands):
            text = without_item(text, (HOOKS, event), number)
        else:
            for place in reversed(ours):
                text = without_item(text, (HOOKS, event, number, HOOKS), place)
    return text
