"""What a text says, as a list of words that two spellings of it share.

A *statement* is written as its words between single spaces, so that it can be stored and read back. The first character of
a word says how far it may give way when two statements are compared:

* ``=5%``, ``=src/App.py``, ``=--force``, ``=not``, ``=<=``, ``=👍``: a number, path, flag, negation, operator or picture; it is
  the same or another. So are persons where they matter (``=you``), the past of the verb before it (``=ed``), a question
  (``=?``);
* ``~getfile``: a name in the spelling of code; only its case may differ;
* anything else is a word, without inflection, particles and politeness, in English and in Korean.

Behind a `ROLE` stands the part that a Korean particle gives its word, where it may matter: ``서버'를``.
"""

from __future__ import annotations

import re
import unicodedata

from memory_assets.identifiers import sha256_hex
from memory_assets.text.english_words import inflected, is_past
from memory_assets.text.korean_words import PARTICLES, negated, taken_apart

STATEMENT_VERSION = 2
"""Changes whenever a text would give another statement or form: the tables are folded anew then."""

MAX_CHARACTERS = 600
ROLE = "'"

_RUN = re.compile(
    r"(?P<number>(?<![\w])[-+]?\.?[0-9][0-9A-Za-z_]*(?:[.,:/\-][0-9A-Za-z_]+)*%?)"
    r"|(?P<flag>(?<![\w\-])--?[A-Za-z][A-Za-z0-9_\-]*)"
    r"|(?P<path>[/~.]{0,3}/?[A-Za-z0-9_][A-Za-z0-9_\-]*(?:(?:::|[./\\@:]|->)[A-Za-z0-9_\-]+)+"
    r"|(?<![\w.)\]])(?:(?:~|\.\.?)?/|\.)[A-Za-z0-9_][A-Za-z0-9_\-]*)"
    r"|(?P<word>[A-Za-z0-9_]+(?:['’][A-Za-z]+)?(?:\+\+|\#(?![0-9A-Za-z]))?)"
    r"|(?P<hangul>[가-힣]+)"
    r"|(?P<other>[^\W\d_]+)"
    r"|(?P<question>[?؟]+)"
    r"|(?P<operator><=|>=|==|!=|->|=>|<-|\[\]|\{\}|\"\"|'')"
    r"|(?P<denial>(?<![\w!])!+(?=[\w(]))"
    r"|(?P<hyphens>-+)"
    r"|(?P<mark>\S)"
)
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
# A `+` is none: it is a line of a diff.
_LIST_MARK = re.compile(r"(?m)^[ \t]{0,20}(?:[-*•]|#{1,6})[ ]{1,3}(?![0-9\s])")
_EMPHASIS = re.compile(r"(?<![A-Za-z0-9_)\]/.*])(\*\*?)(?=[^\s*])([^*\n]{1,300})(?<=[^\s*])\1(?![A-Za-z0-9_*])")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–−", "-"))
# What compatibility would run into the digits beside it: 10² is not 102, 1½ not 11⁄2.
_SET_OFF = {"<super>": "^", "<sub>": "_", "<fraction>": " ", "<circle>": " "}
_SAME_MARKS = {"->": "→", "=>": "→", "⇒": "→", "<-": "←", "≤": "<=", "≥": ">=", "≠": "!=", "✗": "❌", "✘": "❌"}
# Punctuation that is no operator is dropped; symbols and pictures have categories of their own.
_OPERATORS_IN_PUNCTUATION = frozenset("%*/\\&@#§‰′″")
_COUNTED_CATEGORIES = ("Sm", "Sc", "So", "Mn", "Mc", "Me", "Cn", "Co")

NEGATIONS = frozenset(("not", "no", "never", "none", "nothing", "neither", "nor", "without", "unable"))
_CONTRACTIONS = {"cannot": "can", "cant": "can", "dont": "do", "doesnt": "do", "didnt": "did", "wont": "will", "isnt": "is"}
_SHORT_FORMS = {"does": "do"}
_SAYING_NOTHING = """
a an the let lets please just also so then well really very even now actually and is are am
그냥 좀 이제 일단 그럼 혹시 그리고 및 또한
"""
# Prepositions, quantities and times are not among them.
_FILLERS = frozenset(_SAYING_NOTHING.split())
# They say nothing where a text begins with them. Behind its first word `예` is an example, `네` is "your".
_ANSWERS = frozenset(("ok", "okay", "yeah", "yep", "yes", "네", "응", "예", "음"))
# In capitals they are a country, a team or a system.
_OTHER_IN_CAPITALS = frozenset(("us", "it", "am", "me", "is", "an", "so", "ok", "or", "who", "can", "aid"))
_PERSONS = {
    word: person
    for person, words in {
        "i": "i me my mine 나는 난 내가 저는 제가",
        "we": "we us our ours 우리는 우리가 저희는 저희가",
        "you": "you your yours 너는 네가 니가 당신은 당신이 여러분은 여러분이",
    }.items()
    for word in words.split()
}
_OBJECT, _SUBJECT, _TOPIC = PARTICLES["를"], PARTICLES["가"], PARTICLES["는"]


def statement_of(text: str) -> str:
    """The statement of a title or quote. Linear in the text, of which at most the first 600 characters count."""
    said = _normalized(text.strip()[:MAX_CHARACTERS])
    words: list[str] = []
    for run in _RUN.finditer(said):
        if words and run[0] in PARTICLES and not said[run.start() - 1].isspace():
            words[-1] += ROLE + PARTICLES[run[0]]
        elif run[0] != "A" or words:  # the article that a sentence begins with; elsewhere it is the name of something
            words += _words(run, first=not words)
    return " ".join(_with_parts(_with_persons(words))) or f"={sha256_hex(ascii(text.strip()))[:16]}"


def _normalized(text: str) -> str:
    said = text
    if not text.isascii():
        said = unicodedata.normalize("NFKC", "".join(_set_off(character) for character in text))
        said = "".join(_plain_digit(character) for character in said[:MAX_CHARACTERS]).translate(_DASHES)
    return _EMPHASIS.sub(r"\2", _LIST_MARK.sub("", said))


def _set_off(character: str) -> str:
    return _SET_OFF.get(unicodedata.decomposition(character).partition(" ")[0], "") + character


def _plain_digit(character: str) -> str:
    """The digits of every script as 0 to 9: the number is the same."""
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)


def _words(run: re.Match[str], *, first: bool) -> list[str]:
    text = run[0]
    match run.lastgroup:
        case "number":
            return [f"={_THOUSANDS.sub('', text)}"]
        case "path" | "flag" | "denial":
            return [f"={text}"]
        case "word":
            return _latin(text, is_tag=run.string[: run.start()].endswith(("<", "</")), first=first)
        case "hangul":
            return _korean(text, first=first)
        case "other":
            return [text.casefold()]
        case "question":
            return ["=?"]
        case "operator":
            return [f"={_SAME_MARKS.get(text, text)}"]
        case "hyphens":
            return [f"={text}"] if _is_operator(run) else []
        case _:
            return [f"={_SAME_MARKS.get(text, text)}"] if _counts(text) else []


def _counts(mark: str) -> bool:
    if "\ufe00" <= mark <= "\ufe0f" or mark == "\u20e3":  # which of two pictures of one character is meant
        return False
    return mark in _OPERATORS_IN_PUNCTUATION or mark == "^" or unicodedata.category(mark) in _COUNTED_CATEGORIES


def _is_operator(hyphens: re.Match[str]) -> bool:
    """Whether a hyphen is a minus: beside a digit or a letter that stands alone. Between words it is spelling or a dash."""
    if len(hyphens[0]) != 1:
        return len(hyphens[0]) == 2
    before, after = hyphens.string[: hyphens.start()].rstrip()[-2:], hyphens.string[hyphens.end() :].lstrip()[:2]
    return bool(before and after) and (_is_operand(before[::-1]) or _is_operand(after))


def _is_operand(nearest: str) -> bool:
    return nearest[0].isdigit() or (nearest[0].isascii() and nearest[0].isalpha() and not nearest[1:].isalnum())


def _latin(word: str, *, is_tag: bool, first: bool) -> list[str]:
    folded = word.casefold().replace("’", "'")
    if any(c.isdigit() or c in "_+#" for c in folded):
        return [f"={folded}"]
    if folded in _CONTRACTIONS or folded.endswith("n't"):
        verb = _CONTRACTIONS.get(folded.replace("'", ""), folded[:-3])
        return ["=not"] if verb in _FILLERS else [inflected(verb), "=not"]
    if folded in NEGATIONS:
        return [f"={folded}"]
    folded = folded.partition("'")[0]
    if is_tag:
        return [f"~{folded}"]
    if word.isupper() and folded in _OTHER_IN_CAPITALS:
        return [f"={word}"]
    if folded in _PERSONS:
        return [f"={folded}"]
    if folded in _FILLERS and word != "A":
        # What begins with `is` asks; the statement has its subject first.
        return [folded] if first and folded in ("is", "are", "am") else []
    if folded in _ANSWERS and first:
        return []
    if len(folded) == 1:
        return [f"={folded}"]
    if word.isupper():
        return [folded]
    if any(c.isupper() for c in word[1:]):
        return [f"~{folded}"]
    return [inflected(_SHORT_FORMS.get(folded, folded)), *(["=ed"] if is_past(folded) else [])]


def _korean(word: str, *, first: bool) -> list[str]:
    if word in _FILLERS or (first and word in _ANSWERS):
        return []
    if word in _PERSONS:
        return [f"={word}"]
    denied, rest = negated(word)
    said: list[str] = []
    if rest:
        apart = taken_apart(rest)
        said = [apart.stem + (ROLE + apart.role if apart.role else ""), *(["=ed"] if apart.past else [])]
    # In front of what it denies `안` is a word of its own or none: the mark stands where it stands either way.
    before = denied and rest != word
    return ["=not", *said] if before else [*said, *(["=not"] if denied else [])]


def _with_persons(words: list[str]) -> list[str]:
    """Without the speakers, unless another person is named beside them or they are two: who does what is said then."""
    persons = {_PERSONS[word[1:]] for word in words if word[0] == "=" and word[1:] in _PERSONS}
    if len(persons) != 1 or "you" in persons:
        return words
    return [word for word in words if word[0] != "=" or word[1:] not in _PERSONS]


def _with_parts(words: list[str]) -> list[str]:
    """Without the parts that particles give, unless two words play different ones. A subject stays one: it is no object."""
    parts = {word.partition(ROLE)[2] for word in words} - {""}
    if len(parts) < 2 and _SUBJECT not in parts:
        return [word.partition(ROLE)[0] for word in words]
    if _OBJECT in parts and _SUBJECT not in parts:
        words = [word.replace(ROLE + _TOPIC, ROLE + _SUBJECT) for word in words]
    return [word.removesuffix(ROLE) for word in words]
