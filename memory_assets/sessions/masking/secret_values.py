"""Is this value a secret, or code, a type, a placeholder, a reference?

What stands behind ``password:`` is more often a type annotation or a variable than a password. These judgements are
about shape alone: nothing is looked up, nothing is tried.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

# What a key's name promises: a password may be any word, a secret rarely is one, a token (also a parser's) never.
Strength = Literal["password", "secret", "token"]
# How the value is written: "x" | KEY=x | key: x | --key x | the password is x | 비밀번호는 x | 비밀번호는 x입니다 |
# the password is "x" | in the line below | <key>x</key> | a phrase of words.
Form = Literal["quoted", "compact", "spaced", "flag", "prose", "stated", "named", "quoted_prose", "below", "element", "phrase"]

_SHORTEST: dict[Strength, int] = {"password": 4, "secret": 6, "token": 8}

_PLACEHOLDER = re.compile(
    r"^[<\[({%…]|^\$[({]|\$\{|\{\{|\.\.\.|…|\*{3}|[•●]{3}|x{5}|X{5}|\{\w{0,40}\}"
    r"|your[-_ ]|[-_ ]here\b|placeholder|redacted|masked|(?:replace|change|insert|fill)[-_]?(?:me|this|it)|^(?:x{3,}|X{3,})$",
    re.IGNORECASE,
)
_ONE_CHARACTER = re.compile(r"(.)\1*+", re.DOTALL)
_TYPE_NAME = re.compile(
    r"[\[&*]*(?:u?int\d*|[uif]\d{1,3}|float\d*|utf-?\d+|base-?\d+|sha-?\d+(?:sum)?|md5|oauth[12]?|v\d+(?:\.\d+)*|\w*array"
    r"|[ehr]s\d{3}|ed25519|x509|ipv[46]|k8s|s3|http2|p256|str(?:ing)?|bool(?:ean)?|number|any|unknown|bytes|object"
    r"|none|null|nil|undefined|true|false|secretstr|text|char|varchar|void|never|symbol|optional|required)[?;!]*",
    re.IGNORECASE,
)
_COMMON_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        password passwd passphrase secret secrets token tokens string value values text file stdin stdout
        input output key keys credential credentials argument option flag parameter param field name user
        username login hash hashed hidden none null true false undefined required optional invalid missing
        empty default example changed unchanged bearer basic github gitlab google reset forgot confirm
        change update create delete enter show hide type with from that this instead switch which must
        should when will only also here there not set unset test authentication requires
        """,
    )
)
_REFERENCE_HEADS = (
    "process", "os", "env", "environ", "self", "this", "cls", "config", "cfg", "conf", "settings", "secrets", "request",
    "req", "args", "opts", "options", "ctx", "context", "import", "system", "props", "state", "params", "data", "response",
    "res", "user", "vault", "auth", "form", "body", "input", "event", "session", "client", "creds", "credentials", "var",
    "local", "module", "github", "inputs", "steps", "vars", "runner",
)  # fmt: skip
_REFERENCE = re.compile(
    rf"[&*!]?(?:{'|'.join(_REFERENCE_HEADS)})(?:\?\.|\.|\[|->|::)"
    r"|[&*!]?[A-Za-z_$][\w$]{0,80}(?:(?:\?\.|\.|->|::)[A-Za-z_$][\w$]{0,80}){0,12}(?:\(|\[)"
    r"|[&*]?[A-Za-z_$]{1,80}(?:(?:\?\.|\.|->|::)[A-Za-z_$]{1,80}){1,12}[;?!]*$"
    r"|\$[A-Za-z_]\w{0,80}$|%[A-Za-z_]\w{0,80}%$|[@!][A-Za-z_]{1,80}$|[=>|~]",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?:~|\.{1,2})?/[\w.~-]{0,80}(?:/|$|\.\w)|[A-Za-z]:\\|https?://|file:")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_WORDS_ONLY = re.compile(r"[A-Za-z]+(?:[-_./:][A-Za-z]+)*")
_CONSTANT_NAME = re.compile(r"[A-Z][A-Z_]{2,}(?:_[A-Z0-9]+)*")
_DENSE_RUN = re.compile(r"[A-Za-z0-9+/]{8,}")
_PROSE = re.compile(
    r"\b(?:the|your|you|is|are|was|be|must|should|please|enter|required|invalid|incorrect|not|for|to|and|or|of|a|an|with"
    r"|new|current|confirm|forgot|reset|has|have|at|least|too|in)\b",
    re.IGNORECASE,
)
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")


# Words that make a sentence of what stands behind a name; those of a passphrase are drawn from a list of things.
_SENTENCE_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        the your you they them their this that these those there then than with without from into onto over
        under about after before again also any are and but can could did does done each else ever every for get
        gets got had has have her here hers him his how its just let lets like made make makes many may might
        more most much must need needs never new not now off once one only other our out own per put same set
        sets she should some such sure too try two until upon use used user users uses using very via was well
        were what when where which while who why will would yes yet always because been being both during either
        few first following however instead last least less long next old please since still through today
        account accounts admin allowed app application auth based change changed changes characters check client
        code config configured contain contains containing correct create created current data database default
        digits email encoded encrypted encryption enter entered environment error expected expire expired
        expires field fields file files format function generated hash hashed hashing incorrect invalid issue
        key keys length letters local locally lower lowercase login manager match matches method minimum missing
        mode name needed null number numbers optional option parameter passphrase password passwords plain
        plaintext policy prompt protected provided random read required requirement reset rotate rotated rule
        rules safe saved screen secret secrets secure server service session short special state store stored
        string strong support supported symbols system test text token type unknown upper uppercase valid
        validation value values variable wrong
        """,
    )
)
_FEWEST_WORDS = 4


def words_of_a_passphrase(words: Sequence[str]) -> int:
    """How many words at the beginning are a passphrase; zero where they are a sentence."""
    count = next((place for place, word in enumerate(words) if word in _SENTENCE_WORDS), len(words))
    return count if count >= _FEWEST_WORDS and len(set(words[:count])) == count else 0


def is_placeholder(value: str) -> bool:
    """Whether a value stands for one: ``<your-token>``, ``${TOKEN}``, ``xxxx``, ``****``, ``sk-...``."""
    return _PLACEHOLDER.search(value) is not None or _ONE_CHARACTER.fullmatch(value) is not None


def is_dense(token: str) -> bool:
    """Whether a token has a long run of letters and digits, as keys have and kebab-case words have not."""
    return any(
        len(run) >= 20 or (len(run) >= 10 and any(char.isdigit() for char in run)) for run in re.findall(r"[A-Za-z0-9]+", token)
    )


def is_secret_value(value: str, *, name: str, strength: Strength, form: Form) -> bool:
    """Whether a value assigned to a secret's name is the secret itself.

    Args:
        name: the identifier it is assigned to, as written.
        strength: what the name promises.
        form: how the value is written.
    """
    if len(value) < _SHORTEST[strength] or is_placeholder(value) or _TYPE_NAME.fullmatch(value):
        return False
    if _HANGUL.search(value) and not (form in ("quoted", "quoted_prose") and strength == "password" and _is_korean_word(value)):
        return False
    if _simple(value) == _simple(name) or _CONSTANT_NAME.fullmatch(value):
        return False
    if form == "quoted":
        return _quoted(value, strength)
    if form == "quoted_prose":
        return strength == "password" and _quoted_in_prose(value)
    if _REFERENCE.match(value) or _PATH.match(value) or _DATE.match(value):
        return False
    return _bare(value, name, strength, form)


def _quoted_in_prose(value: str) -> bool:
    """In a sentence, quotes and backticks hold commands and names as well; passwords have no spaces, or are phrases."""
    if any(char.isspace() for char in value):
        return words_of_a_passphrase(value.split()) > 0
    return len(value) >= 6 and _simple(value) not in _COMMON_WORDS and not _REFERENCE.match(value) and not _PATH.match(value)


def _is_korean_word(value: str) -> bool:
    """A password typed on a Korean keyboard: with digits or marks, and no spaces as the text of a label has them."""
    return not any(char.isspace() for char in value) and any(char.isdigit() or char in "!@#$%^&*" for char in value)


def _quoted(value: str, strength: Strength) -> bool:
    if any(char.isspace() for char in value):
        return strength == "password" and not _PROSE.search(value) and not value.endswith((".", "!", "?", ":"))
    if _simple(value) in _COMMON_WORDS or _PATH.match(value):
        return False
    if strength == "password":
        return True
    if value.isalpha():
        return (strength == "secret" and len(value) >= 8) or len(value) >= 20
    return _is_mixed(value)


def _bare(value: str, name: str, strength: Strength, form: Form) -> bool:
    if value.isdigit():
        return strength == "password" and form != "prose"
    if _WORDS_ONLY.fullmatch(value):
        return _bare_words(value, name, strength, form)
    if strength == "password":
        return form not in ("prose", "stated", "below") or (len(value) >= 6 and has_letter_and_mark(value))
    if form in ("prose", "stated", "named") and len(value) < 12:
        return False
    return _is_mixed(value) and not _names_itself(value, name)


def _bare_words(value: str, name: str, strength: Strength, form: Form) -> bool:
    """Letters alone are a variable in code, but a password in ``DB_PASSWORD: postgres`` and behind ``--password``."""
    if strength == "token" or len(value) < 6 or _simple(value) in _COMMON_WORDS:
        return False
    if strength == "secret" and not value.isalpha():
        return False
    if form == "flag":
        return strength == "password"
    if form in ("named", "element"):
        return strength == "password" and value.isalpha() and value.islower()
    return name.isupper() and (form == "compact" or (form == "spaced" and "_" in name and value.islower()))


def _is_mixed(value: str) -> bool:
    """Letters and digits, in one long run or with many digits: not ``my-secret-2`` and not ``line_42``."""
    if not _has_letter_and_digit(value):
        return False
    if value.isalnum() or any(_has_letter_and_digit(run) for run in _DENSE_RUN.findall(value)):
        return True
    if any(char in "!@#$%^&*+=~" for char in value):
        return True
    return sum(char.isdigit() for char in value) >= 4


def is_strong(value: str) -> bool:
    """Whether nothing but a password or a key is written so: digits and marks among letters, or long and dense."""
    if not _has_letter_and_digit(value) or not value.isascii():
        return False
    return any(char in "!@#$%^&*~+=" for char in value) or (len(value) >= 16 and value.isalnum())


def has_letter_and_mark(value: str) -> bool:
    """As a password has it: a digit or one of the marks that no word holds."""
    return any(char.isalpha() for char in value) and any(char.isdigit() or char in "!@#$%^&*~+=" for char in value)


def _has_letter_and_digit(value: str) -> bool:
    return any(char.isalpha() for char in value) and any(char.isdigit() for char in value)


def _names_itself(value: str, name: str) -> bool:
    """``token=token2``, ``api_key=api_key_v1``: a variable called after what it holds."""
    return _simple(value).rstrip("0123456789v").endswith(_simple(name).rstrip("0123456789"))


def _simple(value: str) -> str:
    return re.sub(r"[^a-z0-9가-힣]+", "", value.casefold())
