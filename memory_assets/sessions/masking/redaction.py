"""Masking of secrets, e-mail addresses and private blocks, before anything is stored.

The store holds masked text only, and spans of
evidence index it, so masking is a function of text and policy alone, and masking twice equals masking once. What was
masked is counted by kind; the values themselves are in no result, message or exception.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from memory_assets.sessions.draft import at_most_a_title, title_from, title_of
from memory_assets.sessions.keys import session_key
from memory_assets.sessions.masking.assignments import find_assigned_secrets
from memory_assets.sessions.masking.clean_texts import CleanTexts
from memory_assets.sessions.masking.command_lines import find_command_passwords
from memory_assets.sessions.masking.emails import find_emails
from memory_assets.sessions.masking.encoded_secrets import find_encoded, is_credentials
from memory_assets.sessions.masking.key_bodies import find_key_bodies
from memory_assets.sessions.masking.masked_ids import masked_id
from memory_assets.sessions.masking.personal_numbers import find_personal_numbers
from memory_assets.sessions.masking.private_blocks import KIND, find_private_blocks
from memory_assets.sessions.masking.private_spans import private_spans
from memory_assets.sessions.masking.random_tokens import find_random_tokens
from memory_assets.sessions.masking.redaction_policy import ENCODED_KIND, PRIVATE_KEY_KIND, RedactionPolicy
from memory_assets.sessions.masking.regions import Region, find_markers, mask, settle
from memory_assets.sessions.masking.scanned_text import ScannedText, scanned
from memory_assets.sessions.masking.secrets import find_private_keys, find_secrets
from memory_assets.sessions.masking.seed_phrases import find_seed_phrases
from memory_assets.sessions.masking.spellings import has_escapes, plain_spelling, quickly_plain
from memory_assets.sessions.masking.table_values import find_table_values
from memory_assets.sessions.masking.wrapped_keys import find_wrapped_keys
from memory_assets.sessions.model import Defect, Message, Session

# What one pass masks can bring what surrounds it into another light; ordinary text is stable after the first.
_MOST_PASSES = 10
_ENCODED_RANK = 700


@dataclass(frozen=True, slots=True)
class Redacted:
    """A masked text.

    Attributes:
        counts: masked regions by kind (``PRIVATE``, ``SECRET:github``, ``EMAIL``); kinds without one are absent.
        unclosed_private: a ``<private>`` without its close masked the rest of the text.
    """

    text: str
    counts: dict[str, int]
    unclosed_private: bool = False


def redact_text(text: str, policy: RedactionPolicy) -> Redacted:
    """Masks a text by a policy.

    Each masked region becomes ``[KIND]`` followed by the region's line breaks; the rest of the text is untouched.
    """
    counts: Counter[str] = Counter()
    unclosed = False
    for _ in range(_MOST_PASSES):
        masked, unclosed_now = _pass(text, policy, counts)
        unclosed = unclosed or unclosed_now
        if masked == text:
            break
        text = masked
    return Redacted(text, dict(sorted(counts.items())), unclosed)


def redact_session(
    session: Session, policy: RedactionPolicy, *, path: str, clean: CleanTexts | None = None
) -> tuple[Session, dict[str, int], tuple[Defect, ...]]:
    """Masks every text of a session: of its messages, its title, and what else the source says in words.

    Times, roles and kinds stay, and so does an id that holds nothing to mask (see ``masked_ids``). Returns the masked
    session, the counts by kind and a defect for each message that has an unclosed ``<private>``.

    Args:
        path: the source file, to name it in the defects.
        clean: texts in which this policy found nothing before; those of the session are added.
    """
    counts: Counter[str] = Counter()
    defects: list[Defect] = []

    # A session says much twice: names of tools, and files that are read again.
    @cache
    def redacted_once(value: str) -> Redacted:
        if clean is not None and value in clean:
            return Redacted(value, {})
        redacted = redact_text(value, policy)
        if clean is not None and redacted == Redacted(value, {}):
            clean.add(value)
        return redacted

    def masked(value: str, whereabouts: str) -> str:
        redacted = redacted_once(value)
        counts.update(redacted.counts)
        if redacted.unclosed_private:
            detail = f"{whereabouts}: a <private> without </private> masks the rest of it"
            defects.append(Defect(path, None, "unclosed_private", detail))
        return redacted.text

    def plainly(value: str) -> str:
        redacted = redacted_once(value)
        counts.update(redacted.counts)
        return redacted.text

    def masked_id_field(value: str | None) -> str | None:
        return None if value is None else masked_id(value, plainly)

    def masked_field(value: str | None, whereabouts: str) -> str | None:
        return None if value is None else masked(value, whereabouts)

    spans = private_spans(session.messages, session.source_format)

    def masked_message(index: int, message: Message) -> Message:
        where = f"message {index}"
        text = message.text
        if index in spans:
            counts[KIND] += len(spans[index])
            text = mask(text, settle(text, spans[index], find_markers(text, policy.marker)))
        text = masked(text, where)
        name = masked_field(message.name, f"speaker of {where}")
        tool_name = masked_field(message.tool_name, f"tool of {where}")
        uid, tool_use_id = masked_id(message.uid, plainly), masked_id_field(message.tool_use_id)
        told = (text, name, tool_name, uid, tool_use_id)
        if told == (message.text, message.name, message.tool_name, message.uid, message.tool_use_id):
            return message
        return replace(message, text=text, name=name, tool_name=tool_name, uid=uid, tool_use_id=tool_use_id)

    messages = tuple(masked_message(index, message) for index, message in enumerate(session.messages))
    title = masked_field(uncut_title(session, messages), "title")
    source_id = plainly(session.source_id)
    shown = replace(
        session,
        session_id=_masked_key(session, source_id),
        source_id=source_id,
        messages=messages,
        project=masked_field(session.project, "project"),
        title=at_most_a_title(title) if title else title,
        cwd=masked_field(session.cwd, "working directory"),
        git_branch=masked_field(session.git_branch, "branch"),
    )
    return shown, dict(sorted(counts.items())), tuple(defects)


def uncut_title(session: Session, masked: Sequence[Message]) -> str | None:
    """The title to be masked: one out of the messages is taken from what is left of them.

    Cut off a private block or a key it would hold its beginning, which nothing would tell from other words.
    """
    if session.title == title_from(session.messages):
        return title_from(masked)
    pairs = zip(session.messages, masked, strict=True)
    return next((title_of(now) for before, now in pairs if title_of(before) == session.title), session.title)


def _masked_key(session: Session, shown: str) -> str:
    """The partition key of a session whose id is shown like this; a session of the log keeps the key that it has."""
    if shown == session.source_id or session.session_id != session_key(session.source_format, session.source_id):
        return session.session_id
    return session_key(session.source_format, session.source_id, shown=shown)


def _pass(text: str, policy: RedactionPolicy, counts: Counter[str]) -> tuple[str, bool]:
    """Private blocks first: what they hold is nobody's business. Addresses last: ``user:password@host`` is none."""
    private = find_private_blocks(text)
    text = _masked(text, private.regions, policy, counts)
    text = _masked(text, _secrets(text, policy), policy, counts)
    if policy.document.emails:
        text = _masked(text, find_emails(text), policy, counts)
    return text, private.unclosed


def _masked(text: str, found: Iterable[Region], policy: RedactionPolicy, counts: Counter[str]) -> str:
    regions = list(found)
    if not regions:
        return text
    settled = settle(text, regions, find_markers(text, policy.marker))
    counts.update(region.kind for region in settled)
    return mask(text, settled)


def _secrets(text: str, policy: RedactionPolicy) -> Iterator[Region]:
    """What is secret in the text as it is written, and in its plain spelling where it has another."""
    scan = scanned(text, policy.literals)
    yield from _by_names_and_shapes(scan, policy)
    if not has_escapes(text) or (quick := quickly_plain(text)) == text:
        yield from _by_nature(scan, policy)
        return
    # Where each piece of the plain text came from is worked out only for texts in which something was found.
    if not any(True for _ in _found(quick, policy)):
        return
    plain = plain_spelling(text)
    if plain is None:
        yield from _by_nature(scan, policy)
    else:
        for region in _found(plain.text, policy):
            yield plain.written(region)


def _found(text: str, policy: RedactionPolicy, *, decode: bool = True) -> Iterator[Region]:
    scan = scanned(text, policy.literals)
    yield from _by_names_and_shapes(scan, policy)
    yield from _by_nature(scan, policy, decode=decode)


def _by_names_and_shapes(scan: ScannedText, policy: RedactionPolicy) -> Iterator[Region]:
    text = scan.text
    if policy.document.private_keys:
        yield from find_private_keys(text, PRIVATE_KEY_KIND)
    yield from find_secrets(scan, policy.rules)
    markers = find_markers(text, policy.marker)
    yield from find_assigned_secrets(scan, policy.names, policy.marker, markers)
    yield from find_command_passwords(text)
    yield from find_table_values(scan)


def _by_nature(scan: ScannedText, policy: RedactionPolicy, *, decode: bool = True) -> Iterator[Region]:
    """What no name and no prefix announces."""
    text, document = scan.text, policy.document
    if document.private_keys:
        yield from find_key_bodies(scan, PRIVATE_KEY_KIND)
    if document.random_tokens:
        yield from find_random_tokens(scan)
        yield from find_wrapped_keys(scan)
    if document.seed_phrases:
        yield from find_seed_phrases(text)
    if document.personal_numbers:
        yield from find_personal_numbers(scan)
    if document.encoded and decode:
        for encoded in find_encoded(scan):
            if is_credentials(encoded.text) or any(True for _ in _found(encoded.text, policy, decode=False)):
                yield Region(encoded.start, encoded.end, ENCODED_KIND, _ENCODED_RANK)
