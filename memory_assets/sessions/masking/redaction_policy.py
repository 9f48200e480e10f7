"""The redaction policy: a JSON file that says what is masked.

The default ships beside this module; a user's own file replaces it. A policy is read once, at start, and compiled; what
was masked under another policy is recognised by :attr:`RedactionPolicy.policy_hash`.
"""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from memory_assets.errors import ConfigInvalidError
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.sessions.masking import (
    emails,
    key_bodies,
    personal_numbers,
    private_blocks,
    random_tokens,
    seed_phrases,
    table_values,
    wrapped_keys,
)
from memory_assets.sessions.masking.assignments import SecretName, SecretNames
from memory_assets.sessions.masking.bounded_patterns import why_unbounded
from memory_assets.sessions.masking.secret_values import Strength
from memory_assets.sessions.masking.secrets import Check, DetectorRule, PatternRule, RuleBook, SecretRule, rule_book
from memory_assets.text.literals import LiteralSearch

# Raised whenever the same policy file masks differently than before: part of the policy's hash.
REDACTOR_VERSION = 3
PRIVATE_KEY_KIND = "SECRET:private_key"
ENCODED_KIND = "SECRET:encoded"

_Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
_Kind = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,31}(?::[a-z][a-z0-9_]{0,31})?$")]
_Literal = Annotated[str, StringConstraints(min_length=1, max_length=64)]
_Words = Annotated[str, StringConstraints(pattern=r"^\S+(?: \S+)*$", max_length=64)]
_Expression = Annotated[str, StringConstraints(min_length=1, max_length=2000)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class _Rule(_Entry):
    name: _Name
    kind: _Kind
    enabled: bool = True


class PatternEntry(_Rule):
    """A regular expression; its group ``secret`` or else the whole match is masked."""

    literals: tuple[_Literal, ...] = Field(min_length=1)
    pattern: _Expression
    reach_back: int = Field(default=0, ge=0, le=64)
    checks: tuple[Check, ...] = ()
    in_tokens: bool = False


class DetectorEntry(_Rule):
    """One of detect-secrets' detectors, as ``module.Class`` below ``detect_secrets.plugins``."""

    detector: Annotated[str, StringConstraints(pattern=r"^[a-z_0-9]+\.[A-Za-z0-9]+$")]
    literals: tuple[_Literal, ...] = Field(min_length=1)
    near: _Expression | None = None
    around: int = Field(default=80, ge=0, le=512)
    group: int = Field(default=0, ge=0, le=9)
    checks: tuple[Check, ...] = ()
    in_tokens: bool = False


class AssignedEntry(_Rule):
    """Names whose assigned values are secrets; a space in a name stands for ``_``, ``-``, ``.``, a space or nothing."""

    strength: Strength
    names: tuple[_Words, ...] = Field(min_length=1)


class PolicyDocument(_Entry):
    """The policy file as it is written."""

    policy_id: _Name = "default"
    version: int = Field(ge=1)
    private_blocks: Literal[True] = True
    private_keys: bool = True
    emails: bool = True
    encoded: bool = True
    random_tokens: bool = True
    seed_phrases: bool = True
    personal_numbers: bool = True
    patterns: tuple[PatternEntry, ...] = ()
    detectors: tuple[DetectorEntry, ...] = ()
    assigned: tuple[AssignedEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class RedactionPolicy:
    """A policy, compiled.

    Attributes:
        policy_hash: sha256 of the policy's content, the redactor's version and the detectors' patterns; two runs with
            the same hash mask the same text alike.
        literals: everything that the rules, the names and the other detectors begin from.
        marker: matches the markers that this policy writes.
    """

    document: PolicyDocument
    policy_hash: str
    rules: RuleBook
    names: SecretNames
    literals: LiteralSearch
    marker: re.Pattern[str]

    @property
    def policy_id(self) -> str:
        """The policy's own name."""
        return self.document.policy_id

    @property
    def version(self) -> int:
        """The version that the policy file gives itself."""
        return self.document.version


@lru_cache(maxsize=1)
def default_policy() -> RedactionPolicy:
    """The policy that ships with the package."""
    return load_policy(default_policy_json())


def default_policy_json() -> str:
    """The text of the policy file that ships with the package, to copy and edit."""
    return files("memory_assets.sessions.masking").joinpath("redaction_policy.json").read_text(encoding="utf-8")


def load_policy(json_text: str) -> RedactionPolicy:
    """Reads and compiles a policy file.

    Raises:
        ConfigInvalidError: names the rule that cannot be used: not JSON, an unknown field or detector, an expression
            that does not compile, matches the empty text or could run away on a long line.
    """
    try:
        document = PolicyDocument.model_validate_json(json_text)
    except ValidationError as error:
        raise _invalid_document(json_text, error) from None
    _require_unique_names(document)
    rules: list[SecretRule] = []
    for pattern in document.patterns:
        if pattern.enabled:
            rules.append(_compile_pattern(pattern, rank=len(rules)))
    for detector in document.detectors:
        if detector.enabled:
            rules.append(_compile_detector(detector, rank=len(rules)))
    names = _secret_names(document, first_rank=len(rules))
    book = rule_book(rules)
    return RedactionPolicy(document, _hash(document, rules), book, names, _literals(book, names), _marker(document))


def _compile_pattern(entry: PatternEntry, rank: int) -> PatternRule:
    pattern = _compile_expression(entry.name, entry.pattern)
    return PatternRule(entry.kind, rank, entry.literals, pattern, entry.reach_back, frozenset(entry.checks), entry.in_tokens)


def _compile_detector(entry: DetectorEntry, rank: int) -> DetectorRule:
    near = entry.near or "|".join(re.escape(literal) for literal in entry.literals)
    return DetectorRule(
        kind=entry.kind,
        rank=rank,
        literals=entry.literals,
        near=_compile_expression(entry.name, near),
        around=entry.around,
        patterns=_detector_patterns(entry),
        group=entry.group,
        checks=frozenset(entry.checks),
        in_tokens=entry.in_tokens,
    )


def _compile_expression(rule: str, expression: str) -> re.Pattern[str]:
    try:
        pattern = re.compile(expression, re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise _invalid(rule, f"its pattern does not compile: {error}", "Correct the pattern.") from None
    if reason := why_unbounded(expression):
        raise _invalid(
            rule, f"its pattern has {reason}", "Give the repeat an upper bound, or make it possessive: {8,}+, ++, *+."
        )
    if pattern.match("") is not None:
        raise _invalid(rule, "its pattern matches the empty text", "Let the pattern require at least one character.")
    return pattern


def _detector_patterns(entry: DetectorEntry) -> tuple[re.Pattern[str], ...]:
    """The detector's compiled patterns. Imported late (0.15 s); its network verification is never called."""
    from detect_secrets.plugins.base import RegexBasedDetector

    module_name, class_name = entry.detector.split(".")
    try:
        module = importlib.import_module(f"detect_secrets.plugins.{module_name}")
    except ImportError:
        module = None
    detector = getattr(module, class_name, None)
    if not (isinstance(detector, type) and issubclass(detector, RegexBasedDetector)):
        raise _invalid(
            entry.name,
            f"detect-secrets has no pattern detector {entry.detector}",
            "Use module.Class of a pattern detector below detect_secrets.plugins, such as stripe.StripeDetector.",
        )
    patterns: tuple[re.Pattern[str], ...] = tuple(detector.denylist)  # type: ignore[attr-defined]
    if not entry.group:
        return patterns
    with_group = tuple(pattern for pattern in patterns if pattern.groups >= entry.group)
    if not with_group:
        raise _invalid(entry.name, f"no pattern of {entry.detector} has a group {entry.group}", "Use group 0.")
    return with_group


def _secret_names(document: PolicyDocument, first_rank: int) -> SecretNames:
    known: dict[str, SecretName] = {}
    for rank, entry in enumerate((entry for entry in document.assigned if entry.enabled), first_rank):
        for name in entry.names:
            words = name.lower().split()
            for spelling in (separator.join(words) for separator in ("", "_", "-", ".", " ")):
                known.setdefault(spelling, SecretName(spelling, entry.kind, entry.strength, rank))
    return known


def _literals(book: RuleBook, names: SecretNames) -> LiteralSearch:
    others = (key_bodies.LITERALS, personal_numbers.NAMES, table_values.NAMES, wrapped_keys.PREFIXES)
    return LiteralSearch((*book.by_literal, *names, *(literal for literals in others for literal in literals)))


def _rules(document: PolicyDocument) -> tuple[_Rule, ...]:
    return (*document.patterns, *document.detectors, *document.assigned)


def _marker(document: PolicyDocument) -> re.Pattern[str]:
    kinds = {private_blocks.KIND, emails.KIND, PRIVATE_KEY_KIND, ENCODED_KIND}
    kinds.update((random_tokens.KIND, seed_phrases.KIND, wrapped_keys.KIND, *personal_numbers.KINDS, *table_values.KINDS))
    kinds.update(entry.kind for entry in _rules(document))
    return re.compile(rf"\[(?:{'|'.join(sorted(kinds))})\]")


def _hash(document: PolicyDocument, rules: list[SecretRule]) -> str:
    detectors = [
        [pattern.pattern, int(pattern.flags)] for rule in rules if isinstance(rule, DetectorRule) for pattern in rule.patterns
    ]
    return sha256_hex(canonical_json([REDACTOR_VERSION, document.model_dump(mode="json"), detectors]))


def _require_unique_names(document: PolicyDocument) -> None:
    seen: set[str] = set()
    for entry in _rules(document):
        if entry.name in seen:
            raise _invalid(entry.name, "two rules have this name", "Give each rule its own name.")
        seen.add(entry.name)


def _invalid_document(json_text: str, error: ValidationError) -> ConfigInvalidError:
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"]) or "the file"
    return ConfigInvalidError(
        f"redaction policy: {_named(json_text, first['loc'])}{place}: {first['msg']}",
        hint="Compare the file with the default policy, correct it and start again.",
    )


def _named(json_text: str, location: tuple[int | str, ...]) -> str:
    """``rule 'github': `` where an error's location lies in a rule that has a name."""
    if len(location) < 2 or not isinstance(location[1], int):
        return ""
    name = json.loads(json_text)[str(location[0])][location[1]]
    name = name.get("name") if isinstance(name, dict) else None
    return f"rule {name!r}: " if isinstance(name, str) else ""


def _invalid(rule: str, reason: str, hint: str) -> ConfigInvalidError:
    return ConfigInvalidError(f"redaction policy: rule {rule!r}: {reason}", hint=hint)
