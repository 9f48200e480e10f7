"""Secrets by their own shape: the policy's patterns, detect-secrets' detectors, private key blocks.

Every search starts from a literal (``ghp_``, ``AKIA``) that the text must hold, and reads a bounded stretch from there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memory_assets.sessions.masking.random_tokens import is_random
from memory_assets.sessions.masking.regions import Region
from memory_assets.sessions.masking.scanned_text import ScannedText
from memory_assets.sessions.masking.secret_values import has_letter_and_mark, is_dense, is_placeholder, is_secret_value

# What a match must also be, to be a secret.
Check = Literal["digit", "dense", "whole_token", "luhn", "mixed", "random", "password"]


@dataclass(frozen=True, slots=True)
class PatternRule:
    """A pattern of the policy; its group ``secret``, or the whole match, is the secret.

    Attributes:
        literals: the pattern is tried around those that the text holds, and nowhere else.
        reach_back: code points before the match that belong to the secret.
        in_tokens: the literals are looked for in long tokens with a digit only, which are a tenth of a text.
    """

    kind: str
    rank: int
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    reach_back: int
    checks: frozenset[Check]
    in_tokens: bool = False


@dataclass(frozen=True, slots=True)
class DetectorRule:
    """The compiled patterns of one of detect-secrets' detectors.

    They are not bounded, so they see short stretches only, with ``around`` code points on each side of a hit of ``near``.

    Attributes:
        group: number of the group that is the secret, in the patterns that have it.
    """

    kind: str
    rank: int
    literals: tuple[str, ...]
    near: re.Pattern[str]
    around: int
    patterns: tuple[re.Pattern[str], ...]
    group: int
    checks: frozenset[Check]
    in_tokens: bool = False


SecretRule = PatternRule | DetectorRule

_TOKEN_REST = re.compile(r"[A-Za-z0-9_-]*+")
_ESCAPE_BEFORE = re.compile(r"(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,6}m)\Z")

# A word that the text must hold, the first line and the last.
_KEY_FORMATS = (
    (
        "PRIVATE KEY",
        re.compile(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"),
        re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"),
    ),
    (
        "PuTTY-User-Key-File-",
        re.compile(r"PuTTY-User-Key-File-\d"),
        re.compile(r"Private-MAC: ?[0-9a-f]{0,128}"),
    ),
)
_KEY_LINES = re.compile(r"(?:\s|\\[nrt]|[A-Za-z0-9+/=]{16,}+)*")
_KEY_MATERIAL = re.compile(r"(?<![A-Za-z0-9+/=])(?![a-z]{16})[A-Za-z0-9+/=]{16}")
_LONGEST_KEY = 20_000
_STRETCH = 512
# How far before and behind its literal a pattern can reach; a step between two literals that are read together.
_BEFORE, _BEHIND, _STEP = 400, 800, 100


@dataclass(frozen=True, slots=True)
class RuleBook:
    """The rules of a policy, found by their literals: most texts hold none of these.

    Attributes:
        by_literal: by a literal in lower case, the literals as they are written and the places of their rules.
    """

    rules: tuple[SecretRule, ...]
    by_literal: Mapping[str, tuple[tuple[str, int], ...]]


def rule_book(rules: Sequence[SecretRule]) -> RuleBook:
    """A book of rules, each at the place that its rank says."""
    by_literal: dict[str, list[tuple[str, int]]] = {}
    for index, rule in enumerate(rules):
        for literal in rule.literals:
            by_literal.setdefault(literal.lower(), []).append((literal, index))
    return RuleBook(tuple(rules), {lowered: tuple(entries) for lowered, entries in by_literal.items()})


def find_secrets(scan: ScannedText, book: RuleBook) -> Iterator[Region]:
    """The secrets that the rules describe; regions may overlap."""
    text = scan.text
    found: dict[int, list[str]] = {}
    for lowered in scan.held & book.by_literal.keys():
        for literal, index in book.by_literal[lowered]:
            if literal in (scan.with_digit if book.rules[index].in_tokens else text):
                found.setdefault(index, []).append(literal)
    for index in sorted(found):
        match rule := book.rules[index]:
            case PatternRule():
                yield from _by_pattern(text, rule, found[index])
            case DetectorRule():
                yield from _by_detector(text, rule)


def find_private_keys(text: str, kind: str) -> Iterator[Region]:
    """PEM, OpenPGP, SSH2 and PuTTY private keys; a key without its end reaches as far as its lines do.

    A header alone, or one with dots between, is talk about keys and no key.
    """
    for word, begin, finish in _KEY_FORMATS:
        if word not in text:
            continue
        headers, footers = list(begin.finditer(text)), list(finish.finditer(text))
        for index, header in enumerate(headers):
            limit = headers[index + 1].start() if index + 1 < len(headers) else len(text)
            following = bisect_left(footers, header.end(), key=re.Match.start)
            footer = footers[following] if following < len(footers) else None
            if footer is not None and footer.start() > min(limit, header.end() + _LONGEST_KEY):
                footer = None
            if end := _key_end(text, header.end(), footer):
                yield Region(header.start(), end, kind)


def _key_end(text: str, start: int, footer: re.Match[str] | None) -> int | None:
    if footer is not None:
        body = text[start : footer.start()].strip()
        written_out = "\n" in text[start : footer.start()] and len(body) >= 4 and not is_placeholder(body)
        return footer.end() if written_out or _KEY_MATERIAL.search(body) else None
    lines = _KEY_LINES.match(text, start)
    if lines is None or not _KEY_MATERIAL.search(lines[0]):
        return None
    return start + len(lines[0].rstrip())


def _by_pattern(text: str, rule: PatternRule, literals: Sequence[str]) -> Iterator[Region]:
    group = "secret" if "secret" in rule.pattern.groupindex else 0
    for match in _matches(text, rule.pattern, literals):
        start, end = match.span(group)
        start = max(0, start - rule.reach_back)
        if start < end and _passes(text, start, end, rule.checks):
            yield Region(start, end, rule.kind, rule.rank)


def _matches(text: str, pattern: re.Pattern[str], literals: Sequence[str]) -> Iterator[re.Match[str]]:
    """What matches around one of the literals. Each stretch of the text is read once."""
    position = 0
    for low, high in _stretches_around(text, literals):
        position = max(position, low)
        while position < high and (match := pattern.search(text, position, high)):
            if match.end() == high < len(text):  # a token that reaches over the end of the stretch
                match = pattern.match(text, match.start()) or match
            yield match
            position = max(match.end(), position + 1)


def _stretches_around(text: str, literals: Sequence[str]) -> Iterator[tuple[int, int]]:
    if len(text) <= _BEFORE + _BEHIND:
        yield 0, len(text)
        return
    hits = sorted(hit for literal in literals for hit in _positions(text, literal))
    low = high = -1
    for hit in hits:
        if low == -1:
            low, high = max(0, hit - _BEFORE), hit + _BEHIND
        elif hit - _BEFORE <= high:
            high = hit + _BEHIND
        else:
            yield low, min(high, len(text))
            low, high = hit - _BEFORE, hit + _BEHIND
    if low != -1:
        yield low, min(high, len(text))


def _positions(text: str, literal: str) -> Iterator[int]:
    position = text.find(literal)
    while position != -1:
        yield position
        # What stands in one stretch is read together: a long row of literals costs one look for each stretch.
        position = text.find(literal, position + _STEP)


def _by_detector(text: str, rule: DetectorRule) -> Iterator[Region]:
    stretches = _stretches(text, rule)
    for pattern in rule.patterns:
        group = rule.group if rule.group <= pattern.groups else 0
        covered = 0
        for low, high in stretches:
            for match in pattern.finditer(text, max(low, covered), high):
                start, end = match.span(group)
                if covered <= start < end and _passes(text, start, end, rule.checks):
                    # The detectors ask for a length; a longer token is masked whole.
                    covered = _TOKEN_REST.match(text, end).end()  # type: ignore[union-attr]
                    yield Region(start, covered, rule.kind, rule.rank)


def _stretches(text: str, rule: DetectorRule) -> list[tuple[int, int]]:
    """Where a detector has to look: each begins before a hit, and further hits in it are read with it."""
    stretches: list[tuple[int, int]] = []
    searched = 0
    for hit in rule.near.finditer(text):
        if hit.end() > searched:
            searched = hit.end() + _STRETCH
            stretches.append((max(0, hit.start() - rule.around), searched + rule.around))
    return stretches


def _passes(text: str, start: int, end: int, checks: frozenset[Check]) -> bool:
    value = text[start:end]
    if is_placeholder(value) or _is_monotonous(value):
        return False
    return (
        ("digit" not in checks or any(char.isdigit() for char in value))
        and ("dense" not in checks or is_dense(value))
        and ("whole_token" not in checks or _is_whole_token(text, start, end))
        and ("luhn" not in checks or _satisfies_luhn(value))
        and ("mixed" not in checks or has_letter_and_mark(value))
        and ("random" not in checks or is_random(value, changes=0.3))
        and ("password" not in checks or is_secret_value(value, name="", strength="password", form="compact"))
    )


def _is_monotonous(value: str) -> bool:
    """Long, and its tail says one thing only: ``ghp_0000000000000000``."""
    return len(value) >= 12 and len(set(value[-12:])) == 1


def _is_whole_token(text: str, start: int, end: int) -> bool:
    """No letter or digit touches it. What ends an escape (``\\n``, ``%3D``, a colour code) is no letter."""
    if text[end : end + 1].isascii() and text[end : end + 1].isalnum():
        return False
    before = text[start - 1 : start] if start else ""
    if not (before.isascii() and before.isalnum()):
        return True
    return _ESCAPE_BEFORE.search(text, max(0, start - 10), start) is not None


def _satisfies_luhn(value: str) -> bool:
    digits = [int(char) for char in value if char in "0123456789"]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
