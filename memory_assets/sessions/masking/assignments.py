"""Secrets by the name they are assigned to: ``password: x``, ``"apiKey": "x"``, ``TOKEN=x``, ``--password x``.

The names come from the policy. Each occurrence of a name is found literally; what follows is read by bounded patterns,
so the work is linear in the text. Whether the value is a secret is judged in ``secret_values``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memory_assets.sessions.masking.regions import Markers, Region
from memory_assets.sessions.masking.scanned_text import ScannedText
from memory_assets.sessions.masking.secret_values import Form, Strength, is_secret_value, is_strong, words_of_a_passphrase


@dataclass(frozen=True, slots=True)
class SecretName:
    """One spelling of a name that announces a secret, in lower case (``api_key``, ``비밀번호``)."""

    spelling: str
    kind: str
    strength: Strength
    rank: int


# By their spellings.
SecretNames = Mapping[str, SecretName]


@dataclass(frozen=True, slots=True)
class _Value:
    start: int
    end: int
    form: Form


_LONGEST_QUOTED = 2048
_LONGEST_BARE = 256
# Characters after which an unquoted value has ended. Full-width and CJK text is prose around an ASCII value.
_VALUE_STOP = r"\s\"'`,;&<>|\u1100-\u11ff\u3000-\u9fff\uac00-\ud7af\uff00-\uffef"
_OPERATOR = re.compile(
    r"(?:_?\d{1,2})?"  # password2
    r"""(?:\\{0,3}["'`]|\*{1,2}|_{2})?\]?"""  # "apiKey": **password**: ["token"]
    r"(?P<before>[ \t]{0,8})"
    r"""(?::[ ]{0,4}[A-Za-z_][\w.\[\]?]{0,40}(?: \| [\w.\[\]]{1,20}){0,2} ?=[ ]{0,4}(?=["'`])"""  # a type between
    r"|(?P<op>:=|=>|={1,3}|!={1,2}|::?))"
    r"(?P<after>(?:\*{1,2})?[ \t]{0,8})"
    r"""(?:[rbuf@]{0,2}(?P<quote>\\{0,3}["'`]))?"""
)
_FLAG = re.compile(r"""[ \t]{1,4}(?P<quote>\\{0,3}["'])?""")
_PROSE = re.compile(
    r"(?:[은는이가]|[ \t](?:is|was|to|as|becomes|will be|should be)"
    r"(?: now| currently| set to| just| still)?:?|[ \t]{0,8}(?:\||->|→|[\u2013\u2014-](?=[ \t])))"
    r"[ \t]{1,8}(?P<quote>\\{0,3}[\"'`])?"
)
# The value stands in a line of its own below the name: Password:, or the password is:, or a block of YAML.
_BELOW = re.compile(
    r"""(?:["'`]|\*{1,2})?[ \t]{0,4}(?:(?:is|은|는)[ \t]{0,2})?:?(?:\*{1,2})?[ \t]{0,4}(?:[|>][-+]?[ \t]{0,4})?"""
    r"""(?:\r?\n[ \t]{0,8}(?:```\w{0,12})?){1,3}\r?\n?"""
    r"""[ \t>|]{0,40}(?:\d{1,6}[\u2192\t])?[ \t]{0,40}(?P<quote>["'`])?(?P<value>[^\s"'`<>]{4,256}+)"""
    r"""(?P<rest>["'`]?[ \t]{0,8}(?=\r?\n|\Z)|(?=[ \t"'`]))"""
)
# <password>x</password>, <string name="api_key">x</string>, <key>password</key><string>x</string>
_ELEMENT = re.compile(
    r"""(?:[ \t][^<>\n]{0,80}|["'][^<>\n]{0,40})?(?:>|</key>[ \t\r\n]{0,20}<string>)[ \t\r\n]{0,40}"""
    r"""(?P<value>[^<>\s]{4,512}+)[ \t\r\n]{0,40}</(?P<close>[A-Za-z][\w:.-]{0,40})"""
)
# name: DB_PASSWORD / value: x, "name": "token", "value": "x", key="password" value="x", a form's part of this name
_APART = re.compile(
    r"""["'`]?[ \t]{0,4}(?:,|;)?(?:[ \t]{0,4}\r?\n)?[ \t]{0,40}["']?"""
    r"""(?:value|val|content|stringValue|plaintext)["']?[ \t]{0,2}[:=][ \t]{0,4}"""
    r"""(?P<quote>["'`])?(?P<value>[^\s"'`<>,]{4,512}+)"""
    r"""|["'](?:\r?\n){2}(?P<part>[^\s]{4,256}+)"""
)
_PHRASE = re.compile(r"[ \t]{0,2}[\"'`]?(?P<phrase>[a-z]{3,12}(?: [a-z]{3,12}){3,15})(?![a-z])")
# Korean puts a particle, a bracket or nothing between the two: 비밀번호를 x로, 비밀번호(임시)는 x, 비밀번호 x.
_KOREAN_PROSE = re.compile(r"(?:\([^()\n]{0,20}\))?(?:[은는이가을를도]요?)?[ \t]{1,8}(?P<quote>\\{0,3}[\"'`])?")
# What says that the value is the thing itself, and not what is done with it (bcrypt로).
_COPULA = re.compile(r"[\"'`]? ?(?:입니다|이에요|예요|이야|야(?![가-힣])|임(?![가-힣])|이고|이며|이니까|이다|다(?![가-힣]))")
_COUNTED = re.compile(r"[년월일자개번회시분초글]")
_BARE = re.compile(rf"[^{_VALUE_STOP}]{{1,{_LONGEST_BARE}}}+")
_BARE_REST = re.compile(rf"[^{_VALUE_STOP}]*+")
_ESCAPED_BREAK = re.compile(r"\\+[nrt\"'`]")
# What closes a sentence, a call or Markdown emphasis; a mark of exclamation may well end a password.
_SENTENCE_MARKS = (".", ":", ")", "]", "}", "**", "__")
_SENTENCE_END = re.compile(r"(?:[.:)\]}]|\*{2}|_{2})+\Z")
_IDENTIFIER_BEFORE = re.compile(r"[\w-]{0,40}+")


def find_assigned_secrets(scan: ScannedText, names: SecretNames, marker: re.Pattern[str], markers: Markers) -> Iterator[Region]:
    """The values that are assigned to a secret's name.

    Args:
        marker: matches a marker of an earlier masking; a value that is one is no secret.
        markers: where they are; a name inside one is none.
    """
    text, lowered = scan.text, scan.lowered
    for name in (names[spelling] for spelling in scan.held & names.keys()):
        position = lowered.find(name.spelling)
        while position != -1:
            end = position + len(name.spelling)
            region = None if markers.holds(position) else _assigned(text, lowered, position, name, marker)
            if region is not None:
                yield region
                end = region.end
            position = lowered.find(name.spelling, end)


def _assigned(text: str, lowered: str, start: int, name: SecretName, marker: re.Pattern[str]) -> Region | None:
    end = start + len(name.spelling)
    for value in (_value_after(text, start, end, name), _value_apart(text, start, end), _phrase_after(text, start, end, name)):
        if value is None or _assigns_again(lowered, value, name):
            continue
        content = marker.sub("", text[value.start : value.end])
        if value.form == "phrase" or is_secret_value(
            content, name=_identifier(text, start, end), strength=name.strength, form=value.form
        ):
            return Region(value.start, _end_of_long(text, value), name.kind, name.rank)
    return None


def _value_apart(text: str, start: int, end: int) -> _Value | None:
    """A value that no operator ties to its name: in the line below, in an element, beside a ``value`` of its own."""
    behind = text[end : end + 1]
    if behind in (">", '"', "'", " ", "<") and (element := _ELEMENT.match(text, end)):
        return _Value(*element.span("value"), "element")
    if behind in ('"', "'", "\n", "\r", ",", " ") and (apart := _APART.match(text, end)):
        group = "part" if apart["part"] else "value"
        return _Value(*apart.span(group), "quoted" if apart["quote"] else "below")
    if (below := _BELOW.match(text, end)) and not _is_key(text, below):
        stripped = _without_sentence_end(below["value"])
        if (
            not below["rest"]
            and not text.startswith(("\n", "\r"), below.end())
            and below.end() < len(text)
            and not is_strong(stripped)
        ):
            return None  # the first word of a sentence
        return _Value(below.start("value"), below.start("value") + len(stripped), "quoted" if below["quote"] else "below")
    return None


def _is_key(text: str, below: re.Match[str]) -> bool:
    """Whether what stands in the line below is itself the name of something (``type:``)."""
    if re.match(r"[A-Za-z_]{1,40}=", below["value"]):
        return True
    return below["value"].endswith((":", "{", "[", "(", ",", ";")) and below["quote"] is None


def _phrase_after(text: str, start: int, end: int, name: SecretName) -> _Value | None:
    """Four words or more that make no sentence."""
    if name.strength != "password":
        return None
    operator = _OPERATOR.match(text, end) or _PROSE.match(text, end) or _KOREAN_PROSE.match(text, end)
    if operator is None or operator.groupdict().get("op") not in (None, ":", "=", ":="):
        return None
    phrase = _PHRASE.match(text, operator.end())
    if phrase is None:
        return None
    count = words_of_a_passphrase(phrase["phrase"].split())
    if not count:
        return None
    length = len(" ".join(phrase["phrase"].split()[:count]))
    return _Value(phrase.start("phrase"), phrase.start("phrase") + length, "phrase")


def _assigns_again(lowered: str, value: _Value, name: SecretName) -> bool:
    """``token=token=x``: the inner assignment is looked at on its own, so that a long row of them stays linear."""
    inner = lowered.find(name.spelling, value.start, value.end)
    return inner != -1 and lowered.startswith((":", "="), inner + len(name.spelling))


def _value_after(text: str, start: int, end: int, name: SecretName) -> _Value | None:
    if operator := _OPERATOR.match(text, end):
        if operator["quote"]:
            return _quoted(text, operator.end(), operator["quote"]) or _bare(text, operator.end(), "spaced")
        if operator["op"] in ("=>", "==", "===", "!=", "!==", "::"):
            return None  # a comparison or an arrow: with a variable, unless it is a quoted string
        compact = operator["op"] == "=" and not operator["before"] and not operator["after"]
        form: Form = "compact" if compact else "spaced"
        if compact and _is_flag(text, start):
            form = "flag"
        return _bare(text, operator.end(), form)
    if (flag := _FLAG.match(text, end)) and _is_flag(text, start):
        if flag["quote"]:
            return _quoted(text, flag.end(), flag["quote"])
        return None if text.startswith("-", flag.end()) else _bare(text, flag.end(), "flag")
    if not name.spelling.isascii() and (korean := _KOREAN_PROSE.match(text, end)):
        if korean["quote"] and (quoted := _quoted(text, korean.end(), korean["quote"])):
            return _Value(quoted.start, quoted.end, "quoted_prose")
        value = _bare(text, korean.end(), "stated")
        if value and _COPULA.match(text, value.end):
            return _Value(value.start, value.end, "named")
        return None if value and _COUNTED.match(text, value.end) else value  # 비밀번호는 2024년부터
    prose = _PROSE.match(text, end)
    if prose is None:
        return None
    quoted = _quoted(text, prose.end(), prose["quote"]) if prose["quote"] else None
    if quoted and " " not in text[quoted.start : quoted.end]:
        return _Value(quoted.start, quoted.end, "quoted_prose")
    return _bare(text, prose.end(), "prose")


def _quoted(text: str, start: int, quote: str) -> _Value | None:
    """What stands between a quote and its like, on one line; None where it is not closed."""
    line_end = text.find("\n", start, start + _LONGEST_QUOTED)
    limit = start + _LONGEST_QUOTED if line_end == -1 else line_end
    end = text.find(quote, start, limit)
    while end > start and len(quote) == 1 and text[end - 1] == "\\":  # an escaped quote belongs to the value
        end = text.find(quote, end + 1, limit)
    return _Value(start, end, "quoted") if end > start else None


def _bare(text: str, start: int, form: Form) -> _Value | None:
    run = _BARE.match(text, start)
    if run is None:
        return None
    if "\\" in run[0] and (escaped := _ESCAPED_BREAK.search(run[0])):
        end = start + len(_without_sentence_end(run[0][: escaped.start()]))
    elif run.end() - start < _LONGEST_BARE:
        end = start + len(_without_sentence_end(run[0]))
    else:
        end = run.end()
    return _Value(start, end, form) if end > start else None


def _without_sentence_end(value: str) -> str:
    return _SENTENCE_END.sub("", value) if value.endswith(_SENTENCE_MARKS) else value


def _end_of_long(text: str, value: _Value) -> int:
    """A bare value as long as the pattern allows is followed to its end: the rest of a key is a key as well."""
    if value.form == "quoted" or value.end - value.start < _LONGEST_BARE:
        return value.end
    rest = _BARE_REST.match(text, value.end)
    return rest.end() if rest else value.end


def _is_flag(text: str, start: int) -> bool:
    before = _IDENTIFIER_BEFORE.match(text[max(0, start - 40) : start][::-1])
    if before is None:
        return False
    # keytool and Java take -storepass with one dash.
    return before[0].endswith("--") or (before[0] == "-" and text[max(0, start - 2) : start - 1].isspace())


def _identifier(text: str, start: int, end: int) -> str:
    before = _IDENTIFIER_BEFORE.match(text[max(0, start - 40) : start][::-1])
    return (before[0][::-1] if before else "") + text[start:end]
