"""The groups of settings, each with its defaults: what a user can set, by the name of its section in ``memory.toml``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, get_args
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from memory_assets.errors import InvalidArgumentError
from memory_assets.vocabulary import CourtBackend, EntryType, RecordedAnswers

VIEWER_PLACE = "{address}"
"""Where in the viewer's URL the address of a citation goes, percent-encoded."""
_VIEWER_URL = re.compile(r"https?://[A-Za-z0-9._~:/?#@!$&'*+,;=%\[\]{}-]+")


def absolute(path: Path) -> Path:
    """Paths are fixed when they are read: a later change of the working directory must not move the store."""
    return path.expanduser().absolute()


def _without_key(url: str) -> str:
    # It is shown with the settings: what lets somebody in has no place in it. The message does not repeat it.
    try:
        parts = urlsplit(url)
        secret = parts.username is not None or any(
            "key" in key.lower() or "token" in key.lower() for key, _ in parse_qsl(parts.query)
        )
    except ValueError as error:
        raise ValueError("no address") from error
    if secret:
        raise ValueError("no name and no key here: a key comes from the provider's variable, as in OPENAI_API_KEY")
    return url


ModelAddress = Annotated[str, AfterValidator(_without_key)]


def _viewer_url(url: str) -> str:
    # It stands in links of Dagster's pages: nothing else than a page may be opened by them.
    if _VIEWER_URL.fullmatch(url) is None or url.count(VIEWER_PLACE) != 1:
        raise ValueError(f"an http or https URL with {VIEWER_PLACE} where the address of a citation goes")
    return url


UserPath = Annotated[Path, AfterValidator(absolute)]
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]


class Section(BaseModel):
    """Base of the groups of settings. A key that nobody reads is a typing error, so it is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ExtractionSettings(Section):
    """Who finds memories in a session: the embedded rules, or the litellm ``model`` where one is named.

    ``rules_file``: a TOML file of a person's own rules in place of the built-in ones. ``concurrency``: windows that the model
    is asked about at the same time.
    """

    model: str | None = None
    rules_file: UserPath | None = None
    api_base: ModelAddress | None = None
    timeout_seconds: Seconds = 60.0
    max_retries: Annotated[int, Field(ge=0)] = 3
    window_characters: Count = 24_000
    concurrency: Annotated[int, Field(gt=0, le=64)] = 4


class AlignmentSettings(Section):
    """How a quote becomes a span. ``max_quote_length`` is in code points, ``fuzzy_threshold`` a similarity."""

    max_quote_length: Count = 500
    fuzzy: bool = True
    fuzzy_threshold: float = Field(default=0.85, ge=0.85, lt=1.0)


class GraduationSettings(Section):
    """With ``require_idris2`` only idris2 grants Verified."""

    require_idris2: bool = False


class AgingSettings(Section):
    """Half-lives by type, in days, and the score below which `memory demote` lets a memory go one stage down."""

    decision_days: Count = 365
    fact_days: Count = 180
    insight_days: Count = 365
    preference_days: Count = 365
    reference_days: Count = 180
    task_days: Count = 90
    floor: float = Field(default=0.25, gt=0, lt=1)


class TasksSettings(Section):
    """How many later sessions of its project that do not speak of an open task make it quiet."""

    quiet_after_sessions: Count = 5


class IdrisSettings(Section):
    """Where idris2 is (without a ``path``, also MEMORY_IDRIS2, it is looked for on PATH) and what it may cost.

    Attributes:
        timeout_seconds: of a process, and for each further hundred entries that it judges.
        processes: how many at once; 0 for one a core.
        batch_entries: how many entries of several sessions go into one process; 0 for a process a session.
    """

    path: str | None = None
    timeout_seconds: Seconds = 60.0
    processes: Annotated[int, Field(ge=0, le=256)] = 0
    batch_entries: Annotated[int, Field(ge=0, le=10_000)] = 100


class EmbeddingSettings(Section):
    """``model``: ``bundled`` (English, nothing is downloaded), ``hashing``, or the name of a sentence-transformers model."""

    model: Annotated[str, Field(min_length=1)] = "bundled"
    batch_size: Count = 32
    query_prefix: str = ""
    passage_prefix: str = ""
    allow_download: bool = False
    eight_bits: bool = True


_DAYS_BY_NAME = r"^\s*([^=,]+=\s*\d{1,5}\s*(,\s*|$))*$"


def _days_by_name(given: str) -> dict[str, int]:
    pairs = [pair.split("=") for pair in given.split(",") if pair.strip()]
    return {name.strip(): int(days) for name, days in pairs}


class PrivacySettings(Section):
    """``policy_file``: a JSON file with further patterns to mask.

    Attributes:
        keep_days: sessions that ended longer ago are forgotten by `memory privacy retention` and the schedule; 0: none.
        keep_days_by_project: the same for the sessions of some projects, in place of ``keep_days``: ``shop=90, notes=0``.
        keep_days_by_type: the words that memories of some types quote are forgotten once nobody has said them for so many days,
            though their sessions stay: ``fact=90, task=30``.
    """

    policy_file: UserPath | None = None
    keep_days: Annotated[int, Field(ge=0, le=36_500)] = 0
    keep_days_by_project: Annotated[str, Field(pattern=_DAYS_BY_NAME)] = ""
    keep_days_by_type: Annotated[str, Field(pattern=_DAYS_BY_NAME)] = ""

    @field_validator("keep_days_by_type")
    @classmethod
    def _types(cls, given: str) -> str:
        if unknown := _days_by_name(given).keys() - set(get_args(EntryType)):
            raise ValueError(f"{', '.join(sorted(unknown))}: no type of memory; one of {', '.join(get_args(EntryType))}")
        return given

    def days_of(self, project: str | None) -> int:
        """How many days the sessions of a project are kept; 0: for ever."""
        return _days_by_name(self.keep_days_by_project).get(project or "", self.keep_days)

    @property
    def days_of_types(self) -> dict[str, int]:
        """For how many days memories of some types are kept, where these end before their sessions do."""
        return {name: days for name, days in _days_by_name(self.keep_days_by_type).items() if days}


class SessionsSettings(Section):
    """The watched folder (default: ``sessions`` in MEMORY_HOME), and how long a file must lie still before it is taken."""

    folder: UserPath | None = None
    settle_seconds: Annotated[float, Field(ge=0)] = 10.0


class DagsterSettings(Section):
    """What Dagster shows: no session text unless ``show_quotes``; ``viewer_url``, with ``{address}`` in it, is where links to
    citations lead; ``ui_url`` is where Dagster's own pages are, for links that lead there.

    Attributes:
        batch_size: sessions of one run, at most; ``batch_bytes``: bytes of their files. What is larger is run alone.
        keep_runs: finished runs that Dagster keeps, at most; ``keep_runs_days``: for how long.
    """

    show_quotes: bool = False
    batch_size: Count = 25
    batch_bytes: Count = 16_000_000
    keep_runs: Count = 1_000
    keep_runs_days: Count = 30
    viewer_url: Annotated[str, AfterValidator(_viewer_url)] | None = None
    ui_url: Annotated[str, Field(pattern=r"^https?://[A-Za-z0-9._:/\[\]-]+[A-Za-z0-9\]]$")] | None = None


class EvaluationSettings(Section):
    """``file``: golden questions (default: ``golden.yaml`` in MEMORY_HOME); ``tolerance``: how much a metric may fall."""

    file: UserPath | None = None
    tolerance: float = Field(default=0.02, ge=0, le=1)


class AskSettings(Section):
    """Who answers: quotes alone, or the litellm ``model`` where one is named, held to its evidence.

    Attributes:
        timeout_seconds: for a whole answer; ``silence_seconds`` for the next word of one.
        prompt_tokens: of the rules, the question and the evidence together.
        usd_per_call, usd_per_day: what a call and a day (UTC) may cost; a model without a known price is then not asked.
        record: which answers are recorded: those of conversations alone, each, or none; a command's own word goes before.
        nli: the entry point that judges whether an answer follows from its evidence; ``nli_threshold`` 0 asks nobody.
    """

    model: str | None = None
    api_base: ModelAddress | None = None
    timeout_seconds: Seconds = 120.0
    silence_seconds: Seconds = 30.0
    max_tokens: Count = 600
    prompt_tokens: Count = 6_000
    usd_per_call: Annotated[float, Field(ge=0)] | None = None
    usd_per_day: Annotated[float, Field(ge=0)] | None = None
    nli: str | None = None
    nli_threshold: float = Field(default=0.0, ge=0, le=1)
    record: RecordedAnswers = "conversations"


class ServerSettings(Section):
    """``memory serve``: where it listens, and when it ends by itself.

    Attributes:
        port: where another program listens there, any free one is taken.
        idle_minutes: a server that a hook started ends when nobody asked it anything for so long.
        on_demand: whether a hook starts the server where none runs.
        take_sessions: whether it takes what hooks tell of, and what lies in the sessions folder.
    """

    port: Annotated[int, Field(ge=0, le=65_535)] = 37_777
    idle_minutes: Annotated[float, Field(gt=0)] = 30.0
    on_demand: bool = True
    take_sessions: bool = True


class HooksSettings(Section):
    """What agents that call out are given: ``deadline_seconds`` is what one call may take, the rest what it may tell back.

    Attributes:
        session_tokens: of what a session is begun with; ``prompt_tokens`` of what is told with a prompt.
    """

    deadline_seconds: Annotated[float, Field(gt=0, le=60)] = 2.0
    session_tokens: Annotated[int, Field(ge=0, le=2_400)] = 1_200
    prompt_tokens: Annotated[int, Field(ge=0, le=2_400)] = 600


def _postgres_url(url: str) -> str:
    # Neither message repeats the address: it may hold the password that it must not hold.
    try:
        parts = urlsplit(url)
        query = parse_qsl(parts.query)
        secret = parts.password is not None or any("password" in key.lower() for key, _ in query)
    except ValueError as error:
        raise ValueError("no address") from error
    if parts.scheme not in ("postgresql", "postgres"):
        raise ValueError("an address as in postgresql://user@host:5432/database")
    if secret:
        raise ValueError("no password here: it comes from PGPASSWORD or a passfile (PGPASSFILE, ~/.pgpass)")
    return url


def shared_address(url: str) -> str:
    """An address of a shared log as `store.url` takes it.

    Raises:
        InvalidArgumentError: it is none, or holds a password. What was given is not repeated.
    """
    try:
        return _postgres_url(url)
    except ValueError as error:
        raise InvalidArgumentError(f"the address cannot be used: {error}", hint="docs/fleet.md shows one") from None


class CourtSettings(Section):
    """When and by whom sessions are heard: by the embedded detectors, or by the litellm ``model`` where one is named.

    Attributes:
        automatic: each is heard by the run that takes it in, else `memory court` does.
        backend: where lessons of a role are searched by meaning: in the store, or in the PostgreSQL of ``postgres_url`` too.
        postgres_url: its address, without a password.
        timeout_seconds: for a whole answer of the model.
        prompt_tokens: of the rules and the case together; of a longer case what decides it is shown.
        max_tokens: of an answer.
        usd_per_call, usd_per_day: what a call and a day (UTC) may cost; a model without a known price is then not asked.
    """

    automatic: bool = False
    model: str | None = None
    api_base: ModelAddress | None = None
    timeout_seconds: Seconds = 120.0
    prompt_tokens: Count = 24_000
    max_tokens: Count = 4_000
    usd_per_call: Annotated[float, Field(ge=0)] | None = None
    usd_per_day: Annotated[float, Field(ge=0)] | None = None
    backend: CourtBackend = "embedded"
    postgres_url: Annotated[str, AfterValidator(_postgres_url)] | None = None


def _project_names(given: object) -> object:
    # In the environment and behind --set a list is a text.
    return [name.strip() for name in given.split(",") if name.strip()] if isinstance(given, str) else given


class SharingSettings(Section):
    """What goes to the other machines of the log that `store.url` names.

    Attributes:
        projects: whose sessions; None for all, those without a project as well.
        vectors: whether a text that one machine embedded is embedded by no other.
    """

    projects: Annotated[tuple[str, ...] | None, BeforeValidator(_project_names)] = None
    vectors: bool = True


class StoreSettings(Section):
    """Where the log lies, and how long to wait for others.

    Attributes:
        url: the PostgreSQL that holds the log of several machines, without a password; None for the store's own file.
        lock_timeout_seconds: for other processes, and for other machines.
    """

    lock_timeout_seconds: Seconds = 10.0
    url: Annotated[str, AfterValidator(_postgres_url)] | None = None
