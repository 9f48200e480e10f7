"""What a user can set, and where it comes from.

Defaults < ``memory.toml`` < ``MEMORY_*`` environment < flags. The file lies in MEMORY_HOME, or where ``--config`` (or
MEMORY_CONFIG) says. A nested key is ``MEMORY_SECTION_KEY``: ``MEMORY_EXTRACTION_API_BASE`` is ``extraction.api_base``.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from memory_assets.errors import ConfigInvalidError
from memory_assets.settings_sections import (
    AgingSettings,
    AlignmentSettings,
    AskSettings,
    CourtSettings,
    DagsterSettings,
    EmbeddingSettings,
    EvaluationSettings,
    ExtractionSettings,
    GraduationSettings,
    HooksSettings,
    IdrisSettings,
    PrivacySettings,
    ServerSettings,
    SessionsSettings,
    SharingSettings,
    StoreSettings,
    TasksSettings,
    UserPath,
    absolute,
)

SETTINGS_FILE_NAME = "memory.toml"
_FILE_VALUES = "values_of_the_settings_file"


def default_home() -> Path:
    """The store's folder where nobody names one: the platform's folder for a user's data."""
    return absolute(Path(platformdirs.user_data_dir("memory_assets", appauthor=False)))


class Settings(BaseSettings):
    """All settings, frozen. Made by :func:`load_settings`, which knows the file and names the key that is wrong."""

    model_config = SettingsConfigDict(
        env_prefix="MEMORY_",
        env_nested_delimiter="_",
        env_nested_max_split=1,
        env_ignore_empty=True,
        frozen=True,
        extra="forbid",
    )

    home: UserPath = Field(default_factory=default_home)
    config_file: UserPath | None = None
    extraction: ExtractionSettings = ExtractionSettings()
    alignment: AlignmentSettings = AlignmentSettings()
    graduation: GraduationSettings = GraduationSettings()
    aging: AgingSettings = AgingSettings()
    tasks: TasksSettings = TasksSettings()
    idris: IdrisSettings = IdrisSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    privacy: PrivacySettings = PrivacySettings()
    sessions: SessionsSettings = SessionsSettings()
    dagster: DagsterSettings = DagsterSettings()
    ask: AskSettings = AskSettings()
    court: CourtSettings = CourtSettings()
    hooks: HooksSettings = HooksSettings()
    store: StoreSettings = StoreSettings()
    sharing: SharingSettings = SharingSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    server: ServerSettings = ServerSettings()

    def takes_in(self, project: str | None) -> bool:
        """Whether a session of a project, or of none, may go into the log: `sharing.projects` says so of a shared one."""
        return self.shares_all or project in (self.sharing.projects or ())

    @property
    def shares_all(self) -> bool:
        """Whether nothing stays on this machine alone."""
        return self.store.url is None or self.sharing.projects is None

    @property
    def store_folder(self) -> Path:
        """Where the log's file and its locks lie."""
        return self.home

    @property
    def vectors_folder(self) -> Path:
        """LanceDB's folder."""
        return self.home / "vectors"

    @property
    def dagster_home(self) -> Path:
        """Dagster's own folder; a DAGSTER_HOME that the user has set wins."""
        chosen = os.environ.get("DAGSTER_HOME")
        return absolute(Path(chosen)) if chosen else self.home / "dagster"

    @property
    def sessions_folder(self) -> Path:
        """The folder that the sensor watches."""
        return self.sessions.folder or self.home / "sessions"

    @property
    def hooks_folder(self) -> Path:
        """What agents called out with and was not taken yet, and the sessions that are written from it."""
        return self.home / "hooks"

    @property
    def golden_file(self) -> Path:
        """The questions that search is measured by."""
        return self.evaluation.file or self.home / "golden.yaml"

    @property
    def cache_folder(self) -> Path:
        """What may be thrown away at any time."""
        return self.home / "cache"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, environment, file. No ``.env`` is read: a project's own would reach into the user's memory."""
        assert isinstance(init_settings, InitSettingsSource)
        file_values = init_settings.init_kwargs.pop(_FILE_VALUES, {})
        return init_settings, env_settings, InitSettingsSource(settings_cls, init_kwargs=file_values)


def load_settings(overrides: Mapping[str, Any] | None = None, *, config_file: Path | None = None) -> Settings:
    """The settings in force.

    Args:
        overrides: flags, nested as the settings are: ``{"home": …, "extraction": {"model": …}}``.
        config_file: a settings file that must exist; without it MEMORY_CONFIG, then ``memory.toml`` in MEMORY_HOME.

    Raises:
        ConfigInvalidError: names the file or variable and the key.
    """
    flags = dict(overrides or {})
    chosen = config_file or flags.pop("config_file", None) or os.environ.get("MEMORY_CONFIG") or None
    if chosen is not None:
        file = absolute(Path(chosen))
        values = _read_toml(file)
        flags["config_file"] = file
    else:
        file = _home(flags) / SETTINGS_FILE_NAME
        values = _read_toml(file) if _exists(file) else {}
        if "home" in values:
            raise ConfigInvalidError(
                f"{file} sets home, which is the folder that it lies in", hint="set MEMORY_HOME, or name the file with --config"
            )
    written = {key: dict(value) if isinstance(value, dict) else value for key, value in values.items()}
    if os.environ.get("MEMORY_IDRIS2") and isinstance(written.setdefault("idris", {}), dict):
        written["idris"]["path"] = os.environ["MEMORY_IDRIS2"]
    try:
        sources: dict[str, Any] = {**flags, _FILE_VALUES: written}
        return Settings(**sources)
    except ValidationError as error:
        first = error.errors()[0]
        key = tuple(str(part) for part in first["loc"])
        raise ConfigInvalidError(
            f"{_origin(key, flags, values, file)}{'.'.join(key)}: {_reason(first['type'], first['msg'])}",
            hint="docs/settings.md lists every setting, its default and what it takes",
        ) from error
    except SettingsError as error:
        raise ConfigInvalidError(
            f"the environment cannot be read: {error}", hint="a section's variable takes JSON; better set its keys one by one"
        ) from error


def _home(flags: Mapping[str, Any]) -> Path:
    chosen = flags.get("home") or os.environ.get("MEMORY_HOME")
    return absolute(Path(chosen) if chosen else default_home())


def _exists(file: Path) -> bool:
    try:
        return file.exists()
    except OSError:  # an unreadable folder: whatever opens the store says so, with its own hint
        return False


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigInvalidError(f"{file} cannot be read: {error.strerror}", hint="check the path and its rights") from error
    except UnicodeDecodeError as error:
        raise ConfigInvalidError(f"{file} is not UTF-8", hint="save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigInvalidError(f"{file} is no TOML: {error}", hint="correct that line") from error


def _reason(kind: str, message: str) -> str:
    return "there is no such setting" if kind == "extra_forbidden" else message


def _origin(key: tuple[str, ...], flags: Mapping[str, Any], values: Mapping[str, Any], file: Path) -> str:
    """Where a wrong value was set; values themselves are not repeated, they may be private."""
    if _holds(flags, key):
        return "a flag sets "
    variable = f"MEMORY_{'_'.join(key).upper()}"
    names = {name.upper() for name, value in os.environ.items() if value}
    if variable in names:
        return f"{variable} sets "
    if f"MEMORY_{key[0].upper()}" in names:
        return f"MEMORY_{key[0].upper()} sets "
    return f"{file} sets " if _holds(values, key[:1]) else ""


def _holds(values: Mapping[str, Any], key: tuple[str, ...]) -> bool:
    inner: Any = values
    for part in key:
        if not isinstance(inner, Mapping) or part not in inner:
            return False
        inner = inner[part]
    return True
