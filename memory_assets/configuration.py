"""What the settings choose: the store, the extractor, the embedder, the checkers, the masking, and the versions that follow.

They are built here, for two who begin: the façade and Dagster's resource. Whatever stands below is given them.

A stage's version names everything that its result depends on beside its input. The
folds follow exactly these versions; a change of one makes new events and leaves the old ones as history.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.errors import ConfigInvalidError
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.settings import Settings
from memory_assets.settings_file import file_state, named_file
from memory_assets.settings_sections import EmbeddingSettings, IdrisSettings
from memory_assets.shipped_files import shipped_folder
from memory_assets.vocabulary import PipelineStage

if TYPE_CHECKING:
    from memory_assets.ask.answerer import Answerer
    from memory_assets.court.model.llm import ModelCourt
    from memory_assets.court.policy import Policy
    from memory_assets.court_backend.court_in_postgres import CourtInPostgres
    from memory_assets.court_backend.lesson_index import LessonIndex
    from memory_assets.evidence.aligner import Aligner
    from memory_assets.extraction.cues import Rules
    from memory_assets.extraction.extractor import Extractor
    from memory_assets.graduation.proofs.idris2 import Idris2, Unavailable
    from memory_assets.log.database import Database
    from memory_assets.sessions.masking.redaction_policy import RedactionPolicy
    from memory_assets.vectors.embedder import Embedder
    from memory_assets.vectors.index import VectorIndex
    from memory_assets.vectors.words import WordIndex

# Raised when the code of a stage gives another result for the same input.
MATERIALIZER_VERSION = "3"


class Resources:
    """What some settings choose, each part made at its first use and kept.

    What rests on a file that a person may change (rules, masking) is as that file is now: a process lives for weeks.

    Any part may raise ConfigInvalidError where the settings name something that cannot be used.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database | None = None,
        *,
        before_reading: Callable[[Resources], object] | None = None,
    ) -> None:
        """Choose by some settings; nothing is opened.

        Args:
            database: the store, where the caller has it open already.
            before_reading: what is done to the store before anybody reads it, and once more where another machine forgot.
        """
        self.settings = settings
        self._database = database
        self._before_reading = before_reading
        self._opening = threading.RLock()
        self._extractor: Extractor | None = None
        self._policy: tuple[tuple[int, int] | None, RedactionPolicy] | None = None

    @property
    def database(self) -> Database:
        """The store's file."""
        with self._opening:
            if self._database is None or self._database.mirror.must_forget():
                self._database = self._database or self.database_within(self.settings.store.lock_timeout_seconds)
                try:
                    if self._before_reading is not None:
                        self._before_reading(self)
                except BaseException:
                    self._database = None  # it was not done: whoever asks next does it
                    raise
            return self._database

    def database_within(self, seconds: float) -> Database:
        """The store's file for one who waits no longer than so for others."""
        from memory_assets.fleet.opening import opened

        return opened(self.settings.store_folder, self.settings.store.url, seconds, lambda: self.configured_versions)

    @property
    def rules(self) -> Rules:
        """The rules of the embedded extractor: the built-in ones, or those of the file that the settings name, as it is now.

        Raises:
            ConfigInvalidError: the file cannot be read.
            RulesInvalidError: it holds no rules, or one that cannot be used.
        """
        from memory_assets.extraction.cues import built_in_rules, parse_rules
        from memory_assets.extraction.errors import RulesInvalidError

        path = self.settings.extraction.rules_file
        if path is None:
            return built_in_rules()
        text = named_file(path, "rules", "TOML file in extraction.rules_file")
        try:
            return parse_rules(text)
        except RulesInvalidError as error:
            raise RulesInvalidError(f"{path}: {error}", hint=error.hint) from error

    @property
    def extractor(self) -> Extractor:
        """The embedded rules, or the model that the settings name: one for all, so what was learned of its server holds on."""
        chosen = self._new_extractor()
        if self._extractor is None or self._extractor.version != chosen.version:
            self._extractor = chosen
        return self._extractor

    def forget_extractor(self) -> None:
        """The next one knows nothing of what could not be reached."""
        self._extractor = None

    def _new_extractor(self) -> Extractor:
        chosen = self.settings.extraction
        if chosen.model is None:
            from memory_assets.extraction.extractor import RuleExtractor

            return RuleExtractor(self.rules)
        from memory_assets.extraction.llm import ModelExtractor, ModelSettings

        return ModelExtractor(
            ModelSettings(
                model=chosen.model,
                api_base=chosen.api_base,
                timeout=chosen.timeout_seconds,
                max_attempts=chosen.max_retries + 1,
                window_characters=chosen.window_characters,
            )
        )

    @cached_property
    def answerer(self) -> Answerer:
        """Who answers questions: quotes alone, or the model that the settings name."""
        from memory_assets.ask.answerer import ExtractiveAnswerer

        chosen, embedding = self.settings.ask, self.settings.embedding.model
        answerer: Answerer = ExtractiveAnswerer(embedding)
        if chosen.model is not None:
            answerer = self._asked_model(chosen.model, answerer)
        if chosen.nli_threshold > 0:
            from memory_assets.ask.entailment import Entailment
            from memory_assets.ask.judged_answerer import JudgedAnswerer

            answerer = JudgedAnswerer(answerer, Entailment(chosen.nli, chosen.nli_threshold), embedding)
        return answerer

    def _asked_model(self, model: str, fallback: Answerer) -> Answerer:
        from memory_assets.ask.model import LanguageModel, ModelSettings
        from memory_assets.ask.model_answerer import ModelAnswerer
        from memory_assets.providers.spending import Spending

        chosen = self.settings.ask
        asked = ModelSettings(
            model=model,
            api_base=chosen.api_base,
            timeout=chosen.timeout_seconds,
            silence=chosen.silence_seconds,
            max_tokens=chosen.max_tokens,
        )
        spending = Spending(self.settings.home, "ask", chosen.usd_per_call, chosen.usd_per_day)
        return ModelAnswerer(LanguageModel(asked), fallback, spending, chosen.prompt_tokens, self.settings.embedding.model)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder: its model is loaded once, at the first text."""
        from memory_assets.vectors.embedder import EmbedderSettings, make_embedder

        chosen = EmbedderSettings.chosen(self.settings.embedding)
        return make_embedder(chosen, cache_folder=self.settings.cache_folder)

    def with_embedding(self, wanted: EmbeddingSettings) -> Resources:
        """The same store under another embedder."""
        return Resources(self.settings.model_copy(update={"embedding": wanted}), self.database)

    @cached_property
    def word_index(self) -> WordIndex:
        """The index of words: one for every embedding version."""
        from memory_assets.vectors.words import WordIndex

        return WordIndex(self.settings.vectors_folder)

    @cached_property
    def vector_index(self) -> VectorIndex:
        """The index of vectors of the configured embedding version."""
        from memory_assets.vectors.index import VectorIndex

        # Only a loaded model may know how long its vectors are.
        return VectorIndex(self.settings.vectors_folder, self.embedder.embedding_version, lambda: self.embedder.dimensions)

    @cached_property
    def embedded_lessons(self) -> LessonIndex:
        """The lessons of a role by meaning, in the store's own index."""
        from memory_assets.court_backend.embedded import EmbeddedLessons

        return EmbeddedLessons(self.vector_index, self.database)

    @cached_property
    def lesson_index(self) -> LessonIndex:
        """The lessons of a role by meaning, where the settings say that they are searched."""
        from memory_assets.court_backend.postgres_lessons import PostgresLessons

        mirror = self.court_in_postgres
        return self.embedded_lessons if mirror is None else PostgresLessons(mirror.address, self.embedder)

    @cached_property
    def court_in_postgres(self) -> CourtInPostgres | None:
        """The court's tables in the PostgreSQL that the settings name; None where they name none. Nothing is opened.

        Raises:
            ConfigInvalidError: they choose it and do not say where it is.
        """
        from memory_assets.court_backend.court_in_postgres import CourtInPostgres
        from memory_assets.postgres.address import PostgresAddress

        chosen = self.settings.court
        if chosen.backend != "postgres":
            return None
        if chosen.postgres_url is None:
            raise ConfigInvalidError(
                "court.backend is postgres, and nothing says where that is",
                hint="set court.postgres_url, as in postgresql://user@host:5432/database, or court.backend to `embedded`",
            )
        return CourtInPostgres(PostgresAddress(chosen.postgres_url), self.database, self.embedder, self.vector_index)

    @property
    def idris2(self) -> Idris2 | Unavailable | None:
        """The real compiler where there is one, why it cannot be used where it cannot, None where there is none."""
        # A changed PATH or MEMORY_IDRIS2 is another question.
        chosen = self.settings
        return _idris2(chosen.idris, chosen.cache_folder, os.environ.get("PATH"), os.environ.get("MEMORY_IDRIS2"))

    @property
    def usable_idris2(self) -> Idris2 | None:
        """The compiler when it can be used; without it the embedded checker judges alone, and every verdict says so."""
        from memory_assets.graduation.proofs.idris2 import Idris2

        found = self.idris2
        return found if isinstance(found, Idris2) else None

    @property
    def checkers_line(self) -> str:
        """Who judges proofs, and why not idris2 where it does not: one line for people."""
        from memory_assets.graduation.proofs.checker import checker_labels
        from memory_assets.graduation.proofs.idris2 import TRIED_VERSIONS, Idris2, Unavailable

        match self.idris2:
            case Idris2() as compiler:
                other = f" (tried were {' and '.join(TRIED_VERSIONS)})" if compiler.version not in TRIED_VERSIONS else ""
                return " and ".join(checker_labels(compiler)) + other
            case Unavailable(reason):
                why = f"idris2 cannot be used: {reason}"
            case None:
                why = "there is no idris2"
        required = self.settings.graduation.require_idris2
        barred = "; graduation.require_idris2 is set, so nothing becomes verified" if required else ""
        return f"{checker_labels(None)[0]} alone, {why}{barred}"

    @property
    def redaction_policy(self) -> RedactionPolicy:
        """What is masked before anything is logged, as the policy file is now.

        Raises:
            ConfigInvalidError: the policy file cannot be read or has a rule that cannot be used.
        """
        from memory_assets.sessions.masking.redaction_policy import default_policy, load_policy

        path = self.settings.privacy.policy_file
        if path is None:
            return default_policy()
        state = file_state(path)
        if self._policy is None or state is None or self._policy[0] != state:
            self._policy = state, load_policy(named_file(path, "redaction policy", "JSON file in privacy.policy_file"))
        return self._policy[1]

    def new_aligner(self) -> Aligner:
        """An aligner as the settings want it; one serves a session or a batch, whose texts it keeps."""
        from memory_assets.evidence.aligner import Aligner

        chosen = self.settings.alignment
        return Aligner(max_quote_length=chosen.max_quote_length, fuzzy=chosen.fuzzy, fuzzy_threshold=chosen.fuzzy_threshold)

    @property
    def extraction_version(self) -> str:
        """The version that answers of the configured extractor are kept under."""
        return f"{self.extractor.version} window {self.settings.extraction.window_characters}"

    @property
    def stage_versions(self) -> dict[PipelineStage, str]:
        """The version of each stage behind ``ingested`` (whose events follow one another)."""
        from memory_assets.evidence.aligner import ALIGNER_VERSION
        from memory_assets.graduation.policy import POLICY_VERSION
        from memory_assets.graduation.proofs.checker import checker_version
        from memory_assets.graduation.proofs.generator import GENERATOR_VERSION
        from memory_assets.tasks.matching import MATCH_POLICY_VERSION
        from memory_assets.tasks.resolver import RESOLVER_VERSION

        required = "idris2 required" if self.settings.graduation.require_idris2 else "any checker"
        checker = f"{checker_version(self.usable_idris2)} generator {GENERATOR_VERSION}"
        aligned = self.settings.alignment
        fuzzy = aligned.fuzzy_threshold if aligned.fuzzy else "off"
        return {
            "extracted": self.extraction_version,
            "aligned": f"aligner {ALIGNER_VERSION} quote {aligned.max_quote_length} fuzzy {fuzzy}",
            "materialized": f"materializer {MATERIALIZER_VERSION}",
            "idris_checked": f"{checker} policy {POLICY_VERSION} {required}",
            "projected": f"resolver {RESOLVER_VERSION} matching {MATCH_POLICY_VERSION}",
            "vectorized": self.embedder.embedding_version,
        }

    @property
    def court_version(self) -> str:
        """The version of who hears cases: what its detectors find or what its model is asked, how the judge decides."""
        return self.court_version_by(self.court_policy)

    def court_version_by(self, policy: Policy) -> str:
        """The version of the court whose judge decides by a policy."""
        from memory_assets.court.detectors import DETECTORS_VERSION
        from memory_assets.log.hearings import court_version

        court = self.new_model_court(policy)
        return court_version(f"embedded {DETECTORS_VERSION}" if court is None else court.version, policy)

    @property
    def court_policy(self) -> Policy:
        """How the judge decides in this store, as the log says now."""
        from memory_assets.log.court_policy import policy_in_force

        with self.database.reading() as connection:
            return policy_in_force(connection)

    def new_model_court(self, policy: Policy) -> ModelCourt | None:
        """The court of the model that the settings name, for a batch of cases; None where the embedded one hears."""
        chosen = self.settings.court
        if not chosen.model:
            return None
        from memory_assets.court.model.llm import ModelCourt, ModelSettings
        from memory_assets.providers.spending import Spending
        from memory_assets.sessions.masking.redaction import redact_text

        asked = ModelSettings(
            model=chosen.model,
            api_base=chosen.api_base,
            timeout=chosen.timeout_seconds,
            prompt_tokens=chosen.prompt_tokens,
            max_tokens=chosen.max_tokens,
        )
        spending = Spending(self.settings.home, "court", chosen.usd_per_call, chosen.usd_per_day)
        mask = lambda text: redact_text(text, self.redaction_policy).text  # noqa: E731
        return ModelCourt(asked, spending, mask, policy.critical, self.new_aligner)

    @property
    def configured_versions(self) -> dict[str, str]:
        """The version of each stage that follows another, by the type of its event."""
        return {CHAIN[stage]: version for stage, version in self.stage_versions.items()}


@lru_cache(maxsize=8)
def _idris2(chosen: IdrisSettings, cache_folder: Path, path: str | None, named: str | None) -> Idris2 | Unavailable | None:
    # Asking the compiler for its version starts it: once a process is enough.
    from memory_assets.graduation.proofs.errors import CacheUnusableError
    from memory_assets.graduation.proofs.idris2 import Unavailable, find_idris2, prepare

    executable = find_idris2(chosen.path, os.environ)
    if executable is None:
        return None
    try:
        return prepare(
            executable,
            cache=cache_folder / "idris",
            package=shipped_folder("idris"),
            environ=os.environ,
            timeout_s=chosen.timeout_seconds,
            processes=chosen.processes or _cores(),
            batch_entries=chosen.batch_entries,
        )
    except CacheUnusableError as error:  # what cannot be built is not there; the road goes on without it
        return Unavailable(str(error))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
