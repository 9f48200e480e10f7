"""A person puts another policy of the court's judge in force. What was heard before is judged by it when it is heard anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.said import command, masked, now, settle
from memory_assets.court.policy import Policy, policy, shipped_text
from memory_assets.court.policy_file import policy_of
from memory_assets.errors import InvalidArgumentError
from memory_assets.identifiers import sha256_hex
from memory_assets.log.batches import insert, rows_of
from memory_assets.log.court_policy import Activation, activations, in_force, shipped_sha256
from memory_assets.log.payloads.court import CourtPolicyActivated
from memory_assets.maintenance.policy_check import active_policy
from memory_assets.projections.fold import fold
from memory_assets.sessions.masking.redaction import redact_text
from memory_assets.text.invisible import without_unseen

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.results.policy import PolicyV1

_MOST_TROUBLES: Final = 5
"""Of a file, as one message tells them; `memory policy check` tells all."""


def activate_policy(resources: Resources, text: str | None, *, by: str) -> PolicyV1:
    """Put a policy in force: that of a file's text, or without one the policy that ships with the program.

    It is held to what was in force when this was called: of two who activate at once, the second is told of the first.

    Raises:
        InvalidArgumentError: the text is no policy, holds what is masked, or the name of who says so is empty.
        NotPossibleError: it is in force, another text has its version, or somebody activated one meanwhile.
    """
    said_by = masked(resources, " ".join(without_unseen(by).split()), what="name")
    if not said_by:
        raise InvalidArgumentError("the name of who says so is empty", hint="name somebody")
    named = _usable(resources, text) if text is not None else policy()
    before = _in_force_now(resources)
    word = CourtPolicyActivated(
        version=named.version,
        sha256=sha256_hex(text if text is not None else shipped_text()),
        text=text or "",
        activated_by=said_by,
    )
    with resources.database.writing() as connection:
        _check_is_new(connection, word, before)
        insert(connection, rows_of([command(word, at=now())]))
        fold(connection, resources.configured_versions)
        found = active_policy(connection)
    # Lessons that stand otherwise now are found otherwise, too.
    settle(resources)
    return found


def _in_force_now(resources: Resources) -> Activation | None:
    settle(resources)
    with resources.database.reading() as connection:
        return in_force(activations(connection))


def _usable(resources: Resources, text: str) -> Policy:
    """The policy that a file says, which is kept word for word."""
    found = policy_of(text)
    if not isinstance(found, Policy):
        told = "; ".join(f"{one.key or 'the file'}: {one.what}" for one in found[:_MOST_TROUBLES])
        more = f"; and {len(found) - _MOST_TROUBLES:,} more" if len(found) > _MOST_TROUBLES else ""
        raise InvalidArgumentError(
            f"the policy cannot be used: {told}{more}",
            hint="`memory policy check FILE` says what is wrong; nothing was changed",
        )
    if counts := redact_text(text, resources.redaction_policy).counts:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in counts.items())
        raise InvalidArgumentError(
            f"the policy holds what the masking policy keeps out of the store: {kinds}",
            hint="take it out: a policy is kept word for word",
        )
    return found


def _check_is_new(connection: duckdb.DuckDBPyConnection, word: CourtPolicyActivated, before: Activation | None) -> None:
    told = activations(connection)
    active = in_force(told)
    if active is not None and (before is None or active.event_id != before.event_id):
        raise NotPossibleError(
            f"{active.activated_by} activated version {active.version!r} meanwhile ({active.event_id})",
            hint="`memory policy show` shows it; activate yours again if it is to replace that one",
        )
    shipped = shipped_sha256()
    is_in_force = word.sha256 == (active.sha256 if active and active.is_of_a_file else shipped)
    if is_in_force and (active is None or bool(word.text) == active.is_of_a_file):
        raise NotPossibleError(f"version {word.version!r} is in force, with the same text", hint="there is nothing to do")
    others = {policy().version: shipped} | {one.version: one.sha256 for one in told if one.is_of_a_file}
    if word.text and others.get(word.version, word.sha256) != word.sha256:
        raise NotPossibleError(
            f"another policy has the version {word.version!r}", hint="give the file a version of its own: judgements name it"
        )
