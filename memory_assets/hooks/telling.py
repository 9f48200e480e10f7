"""What an agent is told: what holds in its project when it begins, what bears upon a prompt, what a compaction took from it.

Nothing is told that the event does not ask for, nothing where nothing is known, and never a session's own words to itself but
where it has lost them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from memory_assets.errors import AmbiguousIdError, NotFoundError
from memory_assets.hooks.events import HookCall
from memory_assets.hooks.lines import Part, element, fact, named
from memory_assets.queries.context import RELEVANT_FROM
from memory_assets.queries.lessons import list_lessons
from memory_assets.queries.sessions import one_session
from memory_assets.queries.unit_sources import unit_sources
from memory_assets.search.usage import note_shown
from memory_assets.sessions.folders import project_of_folder
from memory_assets.sessions.keys import session_key
from memory_assets.sessions.model import SourceFormat
from memory_assets.vocabulary import FINISHED

if TYPE_CHECKING:
    from memory_assets.memory import Memory
    from memory_assets.results.digest import DigestLineV1, DigestQuoteV1, ProjectDigestV1, SessionDigestV1
    from memory_assets.results.said_otherwise import SaidOtherwiseV1
    from memory_assets.results.search import SearchHitV1

_FORMATS: dict[str, SourceFormat] = {"claude-code": "claude_code", "codex": "codex"}
_MOST_LINES = 100
"""Of a part: more fit into no budget."""
_MOST_READ = 2 * _MOST_LINES
"""Of a part: some of it are of the session that is told, and left out."""
_HITS = 8
_LESSONS = 8
_TOLD = 5
_PROMPT_END = 1_000
"""Characters of the beginning and of the end of a long prompt that are asked for: what stands between them is pasted."""


def told_at_start(memory: Memory, call: HookCall, budget: int) -> str:
    """What holds in the project of the folder, what is open, and what changed since its last session began."""
    project = project_of_folder(call.cwd)
    if project is None or not budget:
        return ""
    try:
        digest = memory.project_digest(project, days=0, most=_MOST_READ)
    except NotFoundError:
        return ""
    own = _own(call)
    holds = [line for line in digest.holds if line.kind in ("decision", "preference") and not _is_of(line.quote, own)]
    open_tasks = [line for line in digest.open if not _is_of(line.quote, own)]
    taught = list(_taught(memory, project, own))
    parts = (
        Part("What holds:", list(map(_line, holds[:_MOST_LINES])), 0.5),
        *([Part("What earlier sessions teach:", taught, 0.2)] if taught else []),
        Part("Open tasks:", list(map(_line, open_tasks[:_MOST_LINES])), 0.25),
        Part(f"Since the session of {digest.since:%Y-%m-%d} began:", list(islice(_changes(digest, own), _MOST_LINES)), 0.25),
    )
    return element(f"What is on record for the project {named(project)}.", parts, budget)


def _taught(memory: Memory, project: str, own: str | None) -> Iterator[str]:
    """The surest lessons of the project, each by the words of another session that it was learned from."""
    for lesson in memory.read(list_lessons, project=project, limit=_LESSONS).lessons:
        uris = [shown.citation.uri for shown in lesson.evidence if shown.citation.session_id != own]
        if uris:
            yield fact(uris[0], f"lesson for {named(lesson.role)}", lesson.rule, at=lesson.last_at)


def told_with_prompt(memory: Memory, call: HookCall, budget: int) -> str:
    """What is remembered that can bear upon a prompt; nothing where search says that it knows nothing of it."""
    project = project_of_folder(call.cwd)
    asked = call.prompt.strip()
    if project is None or not budget or not asked or _is_command(asked):
        return ""
    if len(asked) > 2 * _PROMPT_END:
        asked = f"{asked[:_PROMPT_END]}\n{asked[-_PROMPT_END:]}"
    found = memory.search(asked, project=project, k=_HITS, log=False)
    if found.retrieval is None or not found.retrieval.known:
        return ""
    own = _own(call)
    hits = [hit for hit in found.hits if hit.relevance >= RELEVANT_FROM and not _is_own(hit, own)][:_TOLD]
    lines = [_hit(hit) for hit in hits]
    parts = (Part("On record that may bear upon it:", lines, 1.0),)
    told = element(f"From earlier sessions of the project {named(project)}.", parts, budget)
    kept = set(told.split("\n"))
    shown = [hit.unit_id for hit, line in zip(hits, lines, strict=True) if line in kept]
    if shown:
        note_shown(memory.settings, memory.read(unit_sources, shown))
    return told


def told_after_compaction(memory: Memory, call: HookCall, budget: int) -> str:
    """What this very session decided, left open, did and changed, each by its address, as far as it was taken."""
    own = _own(call)
    if own is None or not budget:
        return ""
    try:
        digest = memory.session_digest(own)
    except NotFoundError:
        return ""
    if digest.session.session_id != own:
        return ""
    until = f"{digest.session.ended_at:%Y-%m-%d %H:%M} UTC"
    return element(f"This session before its compaction, as recorded up to {until}.", tuple(_own_parts(digest)), budget)


def _own_parts(digest: SessionDigestV1) -> Iterator[Part]:
    if digest.goal is not None:
        yield Part("Asked first:", [fact(digest.goal.uri, "said", digest.goal.text)], 0.15)
    yield Part("Decided:", list(map(_line, digest.decided)), 0.35)
    yield Part("Open:", list(map(_line, digest.open)), 0.2)
    yield Part("Done:", list(map(_done, digest.done)), 0.1)
    files = [f"- {named(file.path, 200)} ({file.quote.uri})" for file in digest.files]
    yield Part("Files changed:", files, 0.1)
    yield Part("Also said:", list(map(_line, digest.noted)), 0.1)


def _changes(digest: ProjectDigestV1, own: str | None) -> Iterator[str]:
    for move in digest.moved:
        if move.to_status in FINISHED and not _is_of(move.quote, own):
            yield fact(move.id, f"task, now {move.to_status}", move.text, at=move.moved_at)
    for line in digest.replaced:
        if not _is_of(line.quote, own):
            instead = f" in favour of {line.superseded_by}" if line.superseded_by else ""
            yield fact(line.id or "-", f"{line.kind}, set aside since{instead}{_instead(line.said_otherwise)}", line.text)
    for conflict in digest.contested:
        sides = ", ".join(filter(None, (conflict.older.id, conflict.newer.id)))
        yield fact(conflict.id, f"contested between {sides}", conflict.newer.text)


def _done(line: DigestLineV1) -> str:
    """A task with the report of it, which may say what else was kept."""
    report = line.quote.text if line.quote is not None else ""
    text = report if line.text in report else ": ".join(filter(None, (line.text, report)))
    return _line(line.model_copy(update={"text": text}))


def _line(line: DigestLineV1) -> str:
    quote = line.quote
    address = line.id or (quote.uri if quote else "-")
    stands = line.status.replace("_", " ") if line.kind == "task" else line.assurance
    if line.superseded_by:
        stands = f"set aside in favour of {line.superseded_by}{_instead(line.said_otherwise)}"
    waits = f", waits for {named('; '.join(line.waits_for), 120)}" if line.waits_for else ""
    at = quote.said_at if quote else None
    return fact(address, f"{line.kind}, {stands}{waits}", line.text, said=named(quote.speaker) if quote else "", at=at)


def _hit(hit: SearchHitV1) -> str:
    address = hit.id or (hit.citations[0].uri if hit.citations else hit.unit_id)
    instead = _instead(hit.said_otherwise)
    if hit.unit_kind == "passage":
        return fact(address, f"said{instead}", hit.snippet, at=hit.ts)
    stands = hit.status if hit.status and hit.status not in ("active", "indexed") else hit.assurance
    title = hit.title or hit.summary
    words = hit.snippet if title in hit.snippet else title
    return fact(address, ", ".join(filter(None, (_kind(hit), stands))) + instead, words, at=hit.ts)


def _instead(said: SaidOtherwiseV1 | None) -> str:
    return f", {said.told} “{named(said.text, 200)}”" if said is not None else ""


def _kind(hit: SearchHitV1) -> str:
    return {"entry": "remembered", "gotcha": "known issue", "lesson": "lesson of earlier sessions"}.get(
        hit.unit_kind, hit.unit_kind
    )


def is_known(memory: Memory, call: HookCall) -> bool:
    """Whether something of the session that calls was taken already."""
    own = _own(call)
    if own is None:
        return False
    try:
        return memory.read(one_session, own).session_id == own
    except (NotFoundError, AmbiguousIdError):
        return False


def _own(call: HookCall) -> str | None:
    """The key of the session that calls, as its record or its journal gives it."""
    return session_key(_FORMATS.get(call.agent, "chat.v1"), call.session_id) if call.session_id else None


def _is_of(quote: DigestQuoteV1 | None, own: str | None) -> bool:
    return own is not None and quote is not None and quote.uri.startswith(f"session:{own}#")


def _is_own(hit: SearchHitV1, own: str | None) -> bool:
    """Whether a hit says nothing but what the session said itself."""
    if own is None:
        return False
    sessions = _sessions(citation.uri for citation in hit.citations) | ({hit.session_id} if hit.session_id else set())
    return sessions <= {own} and bool(sessions)


def _sessions(uris: Iterable[str]) -> set[str]:
    return {uri.removeprefix("session:").partition("#")[0] for uri in uris if uri.startswith("session:")}


def _is_command(prompt: str) -> bool:
    return prompt.startswith("/") and " " not in prompt.split("\n", 1)[0].strip()[:40]
