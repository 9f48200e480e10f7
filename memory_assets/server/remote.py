"""The store's server, asked as the façade is: what a command gets is the same, in a third of a second instead of seconds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from memory_assets import __version__
from memory_assets.errors import MemoryAssetsError
from memory_assets.server.client import Client, NoServerError, client_of
from memory_assets.server.files import place_of
from memory_assets.server.settings_print import settings_print

if TYPE_CHECKING:
    from memory_assets.ask.request import AskRequest
    from memory_assets.results.answer import AnswerV1
    from memory_assets.results.context import ContextBundleV1
    from memory_assets.results.disclosure import DisclosureV1
    from memory_assets.results.model import WireModel
    from memory_assets.results.search import SearchResponseV1
    from memory_assets.search.request import SearchRequest

SETTINGS_HEADER: Final = "x-memory-settings"
VERSION_HEADER: Final = "x-memory-version"
_DONE: Final = 200
_OTHER_SETTINGS: Final = 409
Model = TypeVar("Model", bound="WireModel")


class RemoteStore:
    """A store behind its server.

    Every method raises what the façade would, as MemoryAssetsError with the same code, and NoServerError where no server
    answers, or where it has other settings: then who asks does it without one.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    def search_for(self, request: SearchRequest, *, explain: bool = False) -> SearchResponseV1:
        """See ``Memory.search_for``."""
        from memory_assets.results.search import SearchResponseV1

        return self._asked("search", {"request": asdict(request), "explain": explain}, SearchResponseV1)

    def disclose(self, found: SearchResponseV1, *, budget: int) -> DisclosureV1:
        """See ``Memory.disclose``."""
        from memory_assets.results.disclosure import DisclosureV1

        return self._asked("disclose", {"response": found.model_dump(mode="json"), "budget": budget}, DisclosureV1)

    def context(self, query: str, *, project: str | None, budget: int, log: bool) -> ContextBundleV1:
        """See ``Memory.context``."""
        from memory_assets.results.context import ContextBundleV1

        return self._asked("context", {"query": query, "project": project, "budget": budget, "log": log}, ContextBundleV1)

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
        from memory_assets.results.answer import AnswerV1

        fields = {name: value for name, value in asdict(request).items() if name not in ("conversation", "now")}
        asked = {
            "request": fields,
            "conversation": conversation,
            "continued": continued,
            "record": record,
            "draft": listen is not None,
        }
        for line in self._client.lines("/questions/ask", asked):
            said = _json(line)
            if "answer" in said:
                return AnswerV1.model_validate(said["answer"])
            if "error" in said:
                raise _error_of(said["error"])
            if listen is not None:
                listen(said["draft"])
        raise NoServerError("the answer was cut off")

    def _asked(self, name: str, asked: Mapping[str, Any], model: type[Model]) -> Model:
        status, body = self._client.post(f"/questions/{name}", asked)
        if status == _DONE:
            return model.model_validate_json(body)
        raise NoServerError("other settings") if status == _OTHER_SETTINGS else _error_of(_json(body))


def remote_store(
    home: Path, overrides: Mapping[str, Any], config_file: Path | None, environ: Mapping[str, str]
) -> RemoteStore | None:
    """The server of a store for who has these settings; None where none says that it listens."""
    if place_of(home) is None:
        return None
    told = settings_print(home, overrides, config_file, environ)
    client = client_of(home, {SETTINGS_HEADER: told, VERSION_HEADER: __version__})
    return None if client is None else RemoteStore(client)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise NoServerError("no answer of ours") from None


def _error_of(told: Any) -> MemoryAssetsError:
    """An error of the server as if it had happened here.

    Raises:
        NoServerError: it is none of ours.
    """
    if not isinstance(told, dict) or "code" not in told or "message" not in told:
        raise NoServerError("no answer of ours")
    error = MemoryAssetsError(str(told["message"]), hint=str(told.get("hint", "")))
    error.code = str(told["code"])
    return error
