"""Who answers the questions of the command line: the store's server where one runs, else this process."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from memory_assets.ask.request import AskRequest
    from memory_assets.cli.invocation import Invocation
    from memory_assets.results.answer import AnswerV1
    from memory_assets.results.context import ContextBundleV1
    from memory_assets.results.disclosure import DisclosureV1
    from memory_assets.results.search import SearchResponseV1
    from memory_assets.search.request import SearchRequest
    from memory_assets.server.remote import RemoteStore

Result = TypeVar("Result")


class Asked(Protocol):
    """What answers questions."""

    def search_for(self, request: SearchRequest, *, explain: bool = False) -> SearchResponseV1:
        """See ``Memory.search_for``."""

    def disclose(self, found: SearchResponseV1, *, budget: int) -> DisclosureV1:
        """See ``Memory.disclose``."""

    def context(self, query: str, *, project: str | None, budget: int, log: bool) -> ContextBundleV1:
        """See ``Memory.context``."""

    def answer(
        self,
        request: AskRequest,
        *,
        conversation: str | None,
        continued: bool,
        record: bool | None,
        listen: Callable[[str], None] | None,
    ) -> AnswerV1:
        """See ``commands.answers.answered``."""


def asked(given: Invocation, question: Callable[[Asked], Result]) -> Result:
    """Ask a question of the server, and where none answers of this process.

    Args:
        question: may be called twice: it does nothing besides asking.
    """
    from memory_assets.server.client import NoServerError

    remote = _remote(given)
    if remote is not None:
        try:
            return question(remote)
        except NoServerError:
            pass
    return question(_Here(given))


def _remote(given: Invocation) -> RemoteStore | None:
    from memory_assets.server.remote import remote_store
    from memory_assets.server.settings_print import usual_home

    home = usual_home(given.overrides, os.environ)
    return remote_store(home, given.overrides, given.config_file, os.environ)


class _Here:
    """This process answers."""

    def __init__(self, given: Invocation) -> None:
        self._memory = given.memory()

    def search_for(self, request: SearchRequest, *, explain: bool = False) -> SearchResponseV1:
        return self._memory.search_for(request, explain=explain)

    def disclose(self, found: SearchResponseV1, *, budget: int) -> DisclosureV1:
        return self._memory.disclose(found, budget=budget)

    def context(self, query: str, *, project: str | None, budget: int, log: bool) -> ContextBundleV1:
        return self._memory.context(query, project=project, budget=budget, log=log)

    def answer(
        self,
        request: AskRequest,
        *,
        conversation: str | None,
        continued: bool,
        record: bool | None,
        listen: Callable[[str], None] | None,
    ) -> AnswerV1:
        from memory_assets.commands.answers import answered

        memory = self._memory
        return answered(
            memory.asker,
            memory.resources,
            request,
            conversation=conversation,
            continued=continued,
            wanted=record,
            listen=listen,
        )
