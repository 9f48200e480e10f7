"""What settles that a task is done: never that somebody says so alone.

A claim of done is weighed by the quotes of it that were found, by who said them, and by what the person answered. A todo tool
is a program's own record. An agent's report counts where it names a commit or a pull request, or says that the tests pass, in
the quote or beside it; or where the person thanks for it or goes on to something else; or where its tools changed files and
the session ends there. A plan or a guess never does, nor a report that the person contradicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory_assets.tasks.done_phrases import all_tests_pass, commit_made, contradicts, is_guess, thanks
from memory_assets.tasks.references import references_in
from memory_assets.vocabulary import DoneBasis

Speaker = Literal["person", "agent", "todo_tool", "other"]


@dataclass(frozen=True, slots=True)
class FoundQuote:
    """A quote that was found, who speaks in its message, and the agent's message itself."""

    text: str
    speaker: Speaker
    message_index: int
    message: str = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """What settles that a task is done; ``named`` is the commit or pull request that is named."""

    basis: DoneBasis
    named: str | None = None


def reports(quotes: Sequence[FoundQuote]) -> list[FoundQuote]:
    """The quotes in which an agent reports, and neither plans nor guesses."""
    return [quote for quote in quotes if quote.speaker == "agent" and not is_guess(quote.text)]


def only_guesses(quotes: Sequence[FoundQuote]) -> bool:
    """Whether an agent speaks of it, and all that it says is a plan or a guess, which no todo tool bears out."""
    told = [quote for quote in quotes if quote.speaker in ("agent", "todo_tool")]
    return bool(told) and all(quote.speaker == "agent" and is_guess(quote.text) for quote in told)


def what_settles(
    quotes: Sequence[FoundQuote],
    answer: str | None,
    project_key: str,
    *,
    files_changed: bool = False,
    committed: str | None = None,
) -> Settled | None:
    """What bears out a claim of done that rests on these quotes; None where nothing does.

    Args:
        answer: what the person says next behind the last of ``reports(quotes)``.
        files_changed: whether the agent's tools changed files in the turn of that report.
        committed: the commit that its tools made in that turn before the report.
    """
    if any(quote.speaker == "todo_tool" for quote in quotes):
        return Settled("todo_tool")
    reported = reports(quotes)
    if not reported or (answer is not None and contradicts(answer)):
        return None
    for quote in reported:
        if named := _change_named(quote.text, project_key) or _committed(quote.message):
            return Settled("commit", named)
    if committed is not None:
        return Settled("commit", f"commit {committed[:12]}")
    if any(all_tests_pass(quote.text) or all_tests_pass(quote.message) for quote in reported):
        return Settled("passing_test")
    if answer is None:
        return Settled("changed_files") if files_changed else None
    return Settled("thanks" if thanks(answer) else "report")


def _change_named(text: str, project_key: str) -> str | None:
    """The commit or pull request that a report names."""
    for reference in references_in(text, project_key):
        if reference.kind in ("commit", "gh_pr"):
            return f"commit {reference.title}" if reference.kind == "commit" else reference.title
    return _committed(text)


def _committed(text: str) -> str | None:
    sha = commit_made(text)
    return f"commit {sha}" if sha else None
