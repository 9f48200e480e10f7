"""What each of the four is sent: its part, the rules of all, and the case as data between lines that it cannot contain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from memory_assets.court.case import Case
from memory_assets.court.findings import CourtRole, Finding
from memory_assets.court.model.law import LAW_VERSION
from memory_assets.court.model.replies import WHY_DEFERRED, judgement_schema, kinds_of, statement_schema
from memory_assets.court.model.window import Window
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.text.invisible import without_unseen

Talk = list[dict[str, str]]

RULES_TOKENS: Final = 1_500
"""More than the rules and a part cost, estimated; a test holds it."""


def statement_talk(window: Window, role: CourtRole) -> Talk:
    """The messages for the prosecutor, the defense or the jury."""
    told = [(shown.label, shown.event.actor, shown.event.message.kind, shown.text) for shown in window.events]
    boundary = _boundary(told)
    parts = [
        f"<<<event {label} {actor} {kind} {boundary}>>>\n{text}\n<<<end {boundary}>>>" for label, actor, kind, text in told
    ]
    if window.left_out:
        parts.append(f"({window.left_out} events of the case are not shown.)")
    rules = f"{_file(f'{role}.md')}\n{_file('rules.md')}".replace("{kinds}", ", ".join(kinds_of(role)))
    return [{"role": "system", "content": rules}, {"role": "user", "content": "\n".join(parts)}]


def judgement_talk(case: Case, candidates: Sequence[Finding], mask: Callable[[str], str]) -> Talk:
    """The messages for the judge: the candidates by number, each with its quotes, as data."""
    told = [_candidate(case, finding, mask) for finding in candidates]
    boundary = _boundary(told)
    parts = [f"<<<candidate {number} {boundary}>>>\n{text}\n<<<end {boundary}>>>" for number, text in enumerate(told, start=1)]
    rules = _file("judge.md").replace("{reasons}", "\n".join(f'- "{reason}"' for reason in WHY_DEFERRED))
    return [{"role": "system", "content": rules}, {"role": "user", "content": "\n".join(parts)}]


@cache
def prompts_version() -> str:
    """Changes with every prompt, every schema and the law: what was heard under another one can be heard again."""
    roles: tuple[CourtRole, ...] = ("prosecutor", "defense", "jury")
    told = [_file(f"{name}.md") for name in (*roles, "rules", "judge")]
    schemas = [*(statement_schema(role) for role in roles), judgement_schema()]
    return sha256_hex(canonical_json([told, schemas, LAW_VERSION]))[:12]


def _candidate(case: Case, finding: Finding, mask: Callable[[str], str]) -> str:
    said = ((quoted, case.events[quoted.place].actor) for quoted in finding.evidence)
    quotes = (f"{quoted.part}, said by {actor}: {_line(mask(quoted.quote))}" for quoted, actor in said)
    lines = (
        f"kind: {finding.kind}; for: {finding.role}; {finding.polarity}; severity: {finding.severity}; "
        f"sureness: {finding.confidence:.1f}",
        f"title: {finding.title}",
        f"rule: {finding.rule}",
        *([f"when: {finding.trigger}"] if finding.trigger else []),
        *(f"not when: {one}" for one in finding.exceptions),
        *quotes,
    )
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(without_unseen(text).split())


def _boundary(told: object) -> str:
    """Made of all that it encloses, so that no text within can know it."""
    return sha256_hex(canonical_json(told))[:16]


@cache
def _file(name: str) -> str:
    return files("memory_assets.court.model").joinpath(name).read_text(encoding="utf-8")
