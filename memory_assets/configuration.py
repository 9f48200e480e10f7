"""What the settings choose: the extractor, the embedder, the checkers, the masking, and the versions that follow from them.

A stage's version names everything that its result depends on beside its input. The
folds follow exactly these versions; a change of one makes new events and leaves the old ones as history.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.errors import ConfigInvalidError
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.settings import IdrisSettings, Settings
from memory_assets.shipped_files import shipped_folder
from memory_assets.vocabulary import PipelineStage

if TYPE_CHECKING:
    from memory_assets.evidence.aligner import Aligner
    from memory_assets.extraction.cues import Rules
    from memory_assets.extraction.extractor import Extractor
    from memory_assets.graduation.proofs.idris2 import Idris2, Unavailable
    from memory_assets.log.database import Database
    from memory_assets.sessions.redaction_policy import RedactionPolicy
    from memory_assets.vectors.embedder import Embedder, EmbedderSettings
    from memory_assets.vectors.index import VectorIndex
    from memory_assets.vectors.words import WordIndex

# Raised when the code of a stage gives another result for the same input.
MATERIALIZER_VERSION = "3"


def database(settings: Settings, *, lock_timeout: float | None = None) -> Database:
    """The store that the settings name.

    Args:
        lock_timeout: seconds to wait for others; None for the settings' own.
    """
    from memory_assets.log.database import Database

    return Database(settings.store_folder, lock_timeout=lock_timeout or settings.store.lock_timeout_seconds)


def rules(settings: Settings) -> Rules:
    """The rules of the embedded extractor: the built-in ones, or those of the file that the settings name.

    Raises:
        ConfigInvalidError: the file cannot be read.
        RulesInvalidError: it holds no rules, or one that cannot be used.
    """
    from memory_assets.extraction.cues import built_in_rules, parse_rules
    from memory_assets.extraction.errors import RulesInvalidError

    path = settings.extraction.rules_file
    if path is None:
        return built_in_rules()
    text = _named_file(path, "rules", "TOML file in extraction.rules_file")
    try:
        return parse_rules(text)
    except RulesInvalidError as error:
        raise RulesInvalidError(f"{path}: {error}", hint=error.hint) from error


def extractor(settings: Settings) -> Extractor:
    """The embedded rules, or the model that the settings name."""
    if settings.extraction.model is None:
        from memory_assets.extraction.extractor import RuleExtractor

        return RuleExtractor(rules(settings))
    from memory_assets.extraction.llm import ModelExtractor, ModelSettings

    return ModelExtractor(
        ModelSettings(
            model=settings.extraction.model,
            api_base=settings.extraction.api_base,
            timeout=settings.extraction.timeout_seconds,
            max_attempts=settings.extraction.max_retries + 1,
            window_characters=settings.extraction.window_characters,
        )
    )


def embedder_settings(settings: Settings) -> EmbedderSettings:
    """The embedder's part of the settings."""
    from memory_assets.vectors.embedder import EmbedderSettings

    return EmbedderSettings.chosen(settings.embedding)


def embedder(settings: Settings) -> Embedder:
    """The embedder; nothing is loaded before its first use."""
    from memory_assets.vectors.embedder import make_embedder

    return make_embedder(embedder_settings(settings))


def word_index(settings: Settings) -> WordIndex:
    """The index of words: one for every embedding version."""
    from memory_assets.vectors.words import WordIndex

    return WordIndex(settings.vectors_folder)


def vector_index(settings: Settings, chosen: Embedder | None = None) -> VectorIndex:
    """The index of vectors of the configured embedding version.

    Args:
        chosen: the configured embedder, where the caller has it: only a loaded model may know how long its vectors are.
    """
    from memory_assets.vectors.index import VectorIndex

    of = chosen or embedder(settings)
    return VectorIndex(settings.vectors_folder, of.embedding_version, lambda: of.dimensions)


def idris2(settings: Settings) -> Idris2 | Unavailable | None:
    """The real compiler where there is one, why it cannot be used where it cannot, None where there is none."""
    # A changed PATH or MEMORY_IDRIS2 is another question.
    return _idris2(settings.idris, settings.cache_folder, os.environ.get("PATH"), os.environ.get("MEMORY_IDRIS2"))


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


def usable_idris2(settings: Settings) -> Idris2 | None:
    """The compiler when it can be used; without it the embedded checker judges alone, and every verdict says so."""
    from memory_assets.graduation.proofs.idris2 import Idris2

    found = idris2(settings)
    return found if isinstance(found, Idris2) else None


def checkers_line(settings: Settings) -> str:
    """Who judges proofs, and why not idris2 where it does not: one line for people."""
    from memory_assets.graduation.proofs.checker import checker_labels
    from memory_assets.graduation.proofs.idris2 import TRIED_VERSIONS, Idris2, Unavailable

    match idris2(settings):
        case Idris2() as compiler:
            other = f" (tried were {' and '.join(TRIED_VERSIONS)})" if compiler.version not in TRIED_VERSIONS else ""
            return " and ".join(checker_labels(compiler)) + other
        case Unavailable(reason):
            why = f"idris2 cannot be used: {reason}"
        case None:
            why = "there is no idris2"
    barred = "; graduation.require_idris2 is set, so nothing becomes verified" if settings.graduation.require_idris2 else ""
    return f"{checker_labels(None)[0]} alone, {why}{barred}"


def redaction_policy(settings: Settings) -> RedactionPolicy:
    """What is masked before anything is logged.

    Raises:
        ConfigInvalidError: the policy file cannot be read or has a rule that cannot be used.
    """
    from memory_assets.sessions.redaction_policy import default_policy, load_policy

    path = settings.privacy.policy_file
    if path is None:
        return default_policy()
    return load_policy(_named_file(path, "redaction policy", "JSON file in privacy.policy_file"))


def _named_file(path: Path, what: str, wanted: str) -> str:
    """The text of a file that a setting names.

    Raises:
        ConfigInvalidError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigInvalidError(f"the {what} {path} cannot be read", hint=f"name a readable {wanted}") from error


def configured_versions(settings: Settings) -> dict[str, str]:
    """The version of each stage that follows another, by the type of its event."""
    return {CHAIN[stage]: version for stage, version in stage_versions(settings).items()}


def extraction_version(settings: Settings) -> str:
    """The version that answers of the configured extractor are kept under."""
    return f"{extractor(settings).version} window {settings.extraction.window_characters}"


def aligner(settings: Settings) -> Aligner:
    """An aligner as the settings want it; one serves a session or a batch, whose texts it keeps."""
    from memory_assets.evidence.aligner import Aligner

    chosen = settings.alignment
    return Aligner(max_quote_length=chosen.max_quote_length, fuzzy=chosen.fuzzy, fuzzy_threshold=chosen.fuzzy_threshold)


def _alignment(settings: Settings) -> str:
    chosen = settings.alignment
    return f"quote {chosen.max_quote_length} fuzzy {chosen.fuzzy_threshold if chosen.fuzzy else 'off'}"


def stage_versions(settings: Settings) -> dict[PipelineStage, str]:
    """The version of each stage behind ``ingested`` (whose events follow one another)."""
    from memory_assets.evidence.aligner import ALIGNER_VERSION
    from memory_assets.graduation.policy import POLICY_VERSION
    from memory_assets.graduation.proofs.checker import checker_version
    from memory_assets.graduation.proofs.generator import GENERATOR_VERSION
    from memory_assets.tasks.matching import MATCH_POLICY_VERSION
    from memory_assets.tasks.resolver import RESOLVER_VERSION

    required = "idris2 required" if settings.graduation.require_idris2 else "any checker"
    checker = f"{checker_version(usable_idris2(settings))} generator {GENERATOR_VERSION}"
    return {
        "extracted": extraction_version(settings),
        "aligned": f"aligner {ALIGNER_VERSION} {_alignment(settings)}",
        "materialized": f"materializer {MATERIALIZER_VERSION}",
        "idris_checked": f"{checker} policy {POLICY_VERSION} {required}",
        "projected": f"resolver {RESOLVER_VERSION} matching {MATCH_POLICY_VERSION}",
        "vectorized": embedder(settings).embedding_version,
    }
