"""Passwords on command lines: ``mysql -pX``, ``sshpass -p X``, ``redis-cli -a X``.

What one letter of a flag means, the command says that it belongs to: a flag is found first, and the line before it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_assets.sessions.masking.regions import Region
from memory_assets.sessions.masking.secret_values import is_secret_value

KIND = "SECRET:password"
_RANK = 600
_FURTHEST = 300
_BEHIND = re.compile(r"""\\{0,3}(?P<value>'[^'\n]{3,256}'|"[^"\n]{3,256}"|(?![-$<"'\\])[^\s"'|;&<>`\\]{3,256}+)""")
# By flag: the commands that take a password with it, and whether the value may follow at once.
_FLAGS = {
    "-p": (
        r"sshpass|mysql\w*|mariadb\S*|mongo\w*|(?:docker|podman|az|oc|cf|registry|nerdctl|skopeo|buildah|crane)(?: \w+)? login"
        r"|7z\w?|influx|cqlsh|rabbitmqadmin|evil-winrm|crackmapexec|netexec|useradd|usermod|rar|unrar",
        True,
    ),
    "-a": (r"redis-cli|valkey-cli|keydb-cli|redis-benchmark", False),
    "-w": (r"ldap(?:search|modify|add|delete|passwd|whoami|compare)", True),
    "-P": (r"unzip|zip|sqlcmd|bcp|mosquitto_\w+|ipmitool|isql|tsql", True),
    "-U": (r"smbclient|rpcclient|net|smbmap", False),
    "-u": (r"lftp|ncftp|https?", False),
    "-b": (r"htpasswd", False),
    "-k": (r"openssl (?:enc|aes\S*|des\S*)", False),
}
_COMMANDS = {flag: (re.compile(rf"\b(?:{commands})(?![\w-])"), glued) for flag, (commands, glued) in _FLAGS.items()}
_FLAG = re.compile(r" -(?P<letters>[pawPUuk]|[a-zA-Z]{0,3}b[a-zA-Z]{0,3})(?P<gap>[ =]{0,2})")
# kim%password, kim,password; a file and a user before the password of htpasswd
_WITH_USER = {
    "-U": re.compile(r"""["']?[\w.\\@-]{1,64}+%(?P<value>[^\s"'|;]{3,256}+)"""),
    "-u": re.compile(r"""["']?[\w.@-]{1,64}+[,:](?P<value>[^\s"'|;@]{3,256}+)"""),
    "-b": re.compile(
        r"""(?:-[a-zA-Z]{1,4}+ ){0,3}\S{1,120}+ [\w.@-]{1,64}+ """
        r"""(?P<value>'[^'\n]{3,256}'|"[^"\n]{3,256}"|(?![-$<"'])[^\s"'|;&]{3,256}+)"""
    ),
}
_END = re.compile(r"[\n|;&`]")
# mysql -p app asks for the password, and app is a database.
_ASKS = re.compile(r"\b(?:mysql|mariadb)")


def find_command_passwords(text: str) -> Iterator[Region]:
    """The passwords behind the flags of known commands."""
    if " -" not in text:
        return
    in_text: dict[str, bool] = {}
    for flag in _FLAG.finditer(text):
        letter = "-b" if len(flag["letters"]) > 1 or flag["letters"] == "b" else f"-{flag['letters']}"
        command, glued = _COMMANDS[letter]
        if not flag["gap"] and not glued:
            continue
        if letter not in in_text:
            in_text[letter] = command.search(text) is not None
        if not in_text[letter]:
            continue
        line = _command_line(text, flag.start())
        if command.search(line) is None or (letter == "-p" and flag["gap"] and _ASKS.search(line)):
            continue
        value = _WITH_USER.get(letter, _BEHIND).match(text, flag.end())
        if value is not None and _is_password(value["value"].strip("'\"")):
            yield Region(*value.span("value"), KIND, _RANK)


def _command_line(text: str, end: int) -> str:
    """The command from its beginning to a flag, as far as it is on the same line."""
    line = text[max(0, end - _FURTHEST) : end]
    ends = [match.end() for match in _END.finditer(line)]
    return line[ends[-1] :] if ends else line


def _is_password(value: str) -> bool:
    if value.isalpha():
        return value.islower() and len(value) >= 4
    return is_secret_value(value, name="", strength="password", form="compact")
