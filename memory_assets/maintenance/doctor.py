"""What doctor looks at: each check says what it found, and what to do where something is wrong.

A check never raises and never loads a model.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import stat
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from memory_assets.errors import MemoryAssetsError
from memory_assets.log.fetching import fetch, scalar
from memory_assets.log.free_space import NEEDED_BYTES
from memory_assets.log.sql import EMBEDDED, WORDS
from memory_assets.maintenance.gates_check import gates_check
from memory_assets.maintenance.language_check import korean_check
from memory_assets.maintenance.postgres_check import postgres_check
from memory_assets.queries.refused_files import refused_files, unfinished_sessions
from memory_assets.results.doctor import CheckV1
from memory_assets.settings import SETTINGS_FILE_NAME

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database
    from memory_assets.settings import Settings

# Of so much free space a person is told: an import of some hundred sessions takes it.
LITTLE_BYTES = 500_000_000
# Written behind the fold that they report: a fold has nothing to take from them.
_NOT_FOLDED = ("build_started", "build_finished", "session_vectorized", "log_end_accepted", "purged")


def checks(resources: Resources) -> list[CheckV1]:
    """Every check, in the order in which what they look at depends on each other."""
    settings, database = resources.settings, resources.database
    store = _guarded("store", lambda: _store(database))
    found = [_settings(settings), _guarded("folders", lambda: _folders(settings)), store]
    if store.ok:
        found += _in_store(resources)
    found += [
        _guarded("lancedb", lambda: _lancedb(resources)),
        _guarded("embedder", lambda: _embedder(resources)),
        _guarded("korean", lambda: korean_check(settings, database if store.ok else None)),
        _guarded("rules", lambda: _rules(resources)),
        _guarded("gates", lambda: gates_check(settings)),
        _guarded("model", lambda: _model(settings)),
        _guarded("idris2", lambda: _idris2(resources, database if store.ok else None)),
        _guarded("dagster", lambda: _dagster(settings)),
    ]
    if settings.store.url is not None:
        found.append(_guarded("shared log", lambda: _shared_log(resources)))
    if settings.court.backend == "postgres":
        found.append(_guarded("postgres", lambda: postgres_check(resources)))
    return found


def _check(name: str, ok: bool, detail: str, hint: str = "", *, warning: bool = False) -> CheckV1:
    return CheckV1(name=name, ok=ok, detail=detail, hint=hint, warning=warning)


def _guarded(name: str, check: Callable[[], CheckV1]) -> CheckV1:
    try:
        return check()
    except MemoryAssetsError as error:
        return _check(name, False, str(error), error.hint)
    except Exception as error:
        return _check(
            name, False, f"{type(error).__name__}: {error}", "set MEMORY_DEBUG=1 and run what failed for the traceback"
        )


def _settings(settings: Settings) -> CheckV1:
    # They were read when the command began: wrong ones end it before doctor is asked.
    file = settings.config_file or settings.home / SETTINGS_FILE_NAME
    if file.is_file():
        return _check("settings", True, f"{file} is in force")
    return _check("settings", True, f"defaults, environment and flags; there is no {file}", "`memory init` writes one")


def _folders(settings: Settings) -> CheckV1:
    if not settings.home.is_dir():
        return _check("folders", False, f"{settings.home} is missing", "run `memory init`")
    if not os.access(settings.home, os.R_OK | os.X_OK):
        return _check(
            "folders", False, f"no rights to {settings.home}", "mend its rights, or name another folder in MEMORY_HOME"
        )
    mode = stat.S_IMODE(settings.home.stat().st_mode)
    # What lies in a closed folder is closed, whatever its own rights say.
    if mode & 0o077:
        return _check(
            "folders", False, f"others on this machine can open {settings.home} ({mode:04o})", f"chmod 700 {settings.home}"
        )
    if not os.access(settings.home, os.W_OK):
        told = f"{settings.home} can be read and not written: nothing can be taken in or changed"
        return _check("folders", True, told, "mend its rights, or copy it and name the copy in MEMORY_HOME", warning=True)
    free = shutil.disk_usage(settings.home).free
    if free < LITTLE_BYTES:
        told = f"the disk of {settings.home} has {free / 1e6:,.0f} MB free"
        return _check("folders", free >= NEEDED_BYTES, told, "free some space before more is taken in", warning=True)
    return _check("folders", True, f"{settings.home} is yours alone; the watched folder is {settings.sessions_folder}")


def _store(database: Database) -> CheckV1:
    from memory_assets.log.migrations import schema_version

    started = time.perf_counter()
    with database.reading() as connection:
        version = scalar(connection, "SELECT max(version) FROM schema_migrations")
    waited = (time.perf_counter() - started) * 1000
    if version != schema_version():
        return _check("store", False, f"schema version {version}, this program has {schema_version()}", "run any command once")
    return _check(
        "store", True, f"{database.path} opens in {waited:.0f} ms, schema version {version}, every migration as shipped"
    )


def _in_store(resources: Resources) -> list[CheckV1]:
    def read(name: str, check: Callable[[duckdb.DuckDBPyConnection], CheckV1]) -> CheckV1:
        def opened() -> CheckV1:
            with resources.database.reading() as connection:
                return check(connection)

        return _guarded(name, opened)

    return [
        read("log", lambda connection: _log(connection, resources.database)),
        read("projections", lambda connection: _projections(connection, resources)),
        _guarded("files", lambda: _files(resources.database)),
        read("sessions", _sessions),
        read("quarantine", _quarantine),
        _guarded("outbox", lambda: _outbox(resources)),
        _guarded("parity", lambda: _parity(resources)),
    ]


def _log(connection: duckdb.DuckDBPyConnection, database: Database) -> CheckV1:
    from memory_assets.log.errors import TAMPERED_HINT
    from memory_assets.log.integrity import integrity
    from memory_assets.log.migrations import LINKED_SINCE

    counted = integrity(connection)
    if counted.is_whole and not database.ends_at_tip(connection):
        return _check("log", False, str(database.verify_links(connection)), f"`memory fsck` says more; {TAMPERED_HINT}")
    if counted.is_whole:
        older = scalar(
            connection,
            "SELECT count(*) FROM events WHERE ts < (SELECT applied_at FROM schema_migrations WHERE version = ?)",
            [LINKED_SINCE],
        )
        since = f"; {older} are older than their links: of these, what was changed before cannot be told" if older else ""
        return _check(
            "log", True, f"{counted.events} events, none missing, each with its own checksum, the newest as it was left{since}"
        )
    return _check(
        "log",
        False,
        f"{counted.events} events up to seq {counted.newest_seq}, {counted.distinct_keys} keys, "
        f"{counted.wrong_checksums} payloads that are not what was written"
        + (f", {counted.wrong_columns} events under a key of others" if counted.wrong_columns else ""),
        f"`memory fsck` says what it concerns; {TAMPERED_HINT}",
    )


def _projections(connection: duckdb.DuckDBPyConnection, resources: Resources) -> CheckV1:
    last = scalar(connection, "SELECT coalesce(max(seq), 0) FROM events")
    folded = scalar(connection, "SELECT coalesce(max(last_seq), 0) FROM projection_offsets")
    names = ", ".join(f"'{name}'" for name in _NOT_FOLDED)
    behind = scalar(connection, f"SELECT count(*) FROM events WHERE seq > ? AND event_type NOT IN ({names})", [folded])
    if behind:
        told = f"{behind} events of {last} are not in the tables"
        return _check("projections", False, told, _fold_or_restore(connection, resources.database))
    stored = dict(connection.execute("SELECT event_type, stage_version FROM configured_versions").fetchall())
    try:
        wanted = resources.configured_versions
    except MemoryAssetsError:  # the check of what cannot be used says why
        return _check("projections", True, f"the tables rest on all {last} events; with which settings cannot be told")
    stale = sorted(name for name in wanted if name in stored and stored[name] != wanted[name])
    if stale:
        return _check("projections", False, f"settings changed {', '.join(stale)}", "run `memory run --all`")
    return _check("projections", True, f"the tables rest on all {last} events")


def _fold_or_restore(connection: duckdb.DuckDBPyConnection, database: Database) -> str:
    """Nobody is told to fold a log that is not what was written."""
    from memory_assets.log.errors import TAMPERED_HINT
    from memory_assets.log.links import Broken

    return TAMPERED_HINT if isinstance(database.verify_links(connection), Broken) else "run `memory rebuild`"


def _files(database: Database) -> CheckV1:
    refused = refused_files(database)
    if not refused:
        return _check("files", True, "no file is refused")
    shown = ", ".join(f"{file.path}{f':{file.line}' if file.line else ''} ({file.reason})" for file in refused[:5])
    return _check(
        "files",
        True,
        f"{len(refused)} refused: {shown}{' …' if len(refused) > 5 else ''}",
        "mend them or take them away; `memory import` says more",
        warning=True,
    )


def _sessions(connection: duckdb.DuckDBPyConnection) -> CheckV1:
    unfinished = unfinished_sessions(connection)
    if not unfinished:
        return _check("sessions", True, "every session is through")
    shown = ", ".join(f"{session} behind {stage}" for session, stage in unfinished[:5])
    return _check(
        "sessions",
        True,
        f"{len(unfinished)} not through: {shown}{' …' if len(unfinished) > 5 else ''}",
        "`memory run --all` goes on",
        warning=True,
    )


def _quarantine(connection: duckdb.DuckDBPyConnection) -> CheckV1:
    rows = fetch(connection, "SELECT session_id, stage, error_code FROM quarantine ORDER BY session_id, stage")
    if not rows:
        return _check("quarantine", True, "no session is put aside")
    shown = ", ".join(f"{session} at {stage} ({code})" for session, stage, code in rows[:5])
    return _check(
        "quarantine",
        True,
        f"{len(rows)} quarantined: {shown}{' …' if len(rows) > 5 else ''}",
        "`memory retry --quarantined`",
        warning=True,
    )


def _outbox(resources: Resources) -> CheckV1:
    from memory_assets.maintenance.outbox import outbox_status

    found = outbox_status(resources)
    current, words = found.current, found.words
    writers = "".join(f"; {one.writer} is writing" for one in (words, current) if one.writer)
    if failed := words.retrying + words.given_up + current.retrying + current.given_up:
        mine = (words.embedding_version, current.embedding_version)
        why = next((one.error for one in found.failures if one.embedding_version in mine), "-")
        again = "are tried again" if words.retrying + current.retrying else "were given up"
        many = ": so many are no single text's fault" if found.alarm else ""
        return _check(
            "outbox",
            False,
            f"{failed} units could not be written to the index and {again}, one because: {why}{many}{writers}",
            "`memory outbox` shows them, `memory outbox retry-failed` tries them again",
        )
    if words.pending or current.pending:
        return _check(
            "outbox",
            True,
            f"{words.pending} units wait to be made searchable, {current.pending} for their vectors{writers}",
            "`memory outbox drain` writes them, as the next run does",
        )
    others = [one.embedding_version for one in found.versions if not one.in_force and one.rows is not None]
    if others:
        return _check(
            "outbox",
            True,
            f"nothing waits to be written to the index; kept for going back: {', '.join(others)}",
            "`memory outbox reconcile --drop-old` drops them",
        )
    return _check("outbox", True, "nothing waits to be written to the index")


def _parity(resources: Resources) -> CheckV1:
    embedder = resources.embedder
    words, index = resources.word_index, resources.vector_index
    with resources.database.reading() as connection:
        units, embedded = fetch(connection, f"SELECT count(*), count(*) FILTER ({EMBEDDED}) FROM memory_units u")[0]
        waiting = dict(
            fetch(
                connection,
                "SELECT embedding_version, count(*) FROM vector_outbox WHERE status <> 'done' GROUP BY embedding_version",
            )
        )
    mend = "`memory outbox reconcile` mends it"
    if problems := [problem for table in (words, index) if table.exists() for problem in table.problems()]:
        return _check("parity", False, "; ".join(problems), mend)
    if index.exists() and set(index.rows(["fingerprint"])["fingerprint"].to_pylist()) - {embedder.fingerprint}:
        return _check("parity", False, f"{index.table_name} holds vectors of another model than {embedder.model_id}", mend)
    rows = {WORDS: words.count(), index.embedding_version: index.count()}
    counted = f"{units} units, {rows[WORDS]} rows in {words.table_name}, {rows[index.embedding_version]} in {index.table_name}"
    differing = [queue for queue, count in rows.items() if count != (units if queue == WORDS else embedded)]
    if not differing:
        return _check("parity", True, counted)
    jobs = sum(waiting.get(queue, 0) for queue in differing)
    detail = f"{counted}, {jobs} jobs open"
    if all(waiting.get(queue) for queue in differing):
        return _check("parity", True, detail, "`memory outbox drain` writes them")
    return _check("parity", False, detail, mend)


def _lancedb(resources: Resources) -> CheckV1:
    if importlib.util.find_spec("lancedb") is None:
        return _check("lancedb", False, "LanceDB is not installed", "reinstall memory_assets")
    words = resources.word_index
    if not words.exists():
        return _check("lancedb", True, f"no table {words.table_name} yet", "the first import makes it")
    return _check("lancedb", True, f"{words.table_name} opens, {words.count()} rows")


def _embedder(resources: Resources) -> CheckV1:
    chosen, wanted = resources.embedder, resources.settings.embedding
    if wanted.model == "hashing":
        return _check("embedder", True, f"{chosen.model_id}: no model, words only", "embedding.model names a real one")
    if importlib.util.find_spec("sentence_transformers") is None:
        return _check("embedder", False, "sentence-transformers is not installed", "reinstall memory_assets")
    if (run_by := chosen.run_by()) is None:
        allowed = "may be downloaded" if wanted.allow_download else "must lie in the hub's cache"
        return _check(
            "embedder", True, f"{chosen.model_id}, not looked at: it {allowed}", "a first search shows whether it loads"
        )
    return _check("embedder", True, f"{chosen.model_id} is on this machine, version {chosen.embedding_version}, {run_by}")


def _rules(resources: Resources) -> CheckV1:
    if resources.settings.extraction.model is not None:
        return _check("rules", True, "not used: a model extracts")
    told = resources.settings.extraction.rules_file or "the built-in rules"
    return _check("rules", True, f"{len(resources.rules.cues)} cues of {told}")


def _model(settings: Settings) -> CheckV1:
    if settings.extraction.model is None:
        return _check("model", True, "none: the embedded rules extract", "extraction.model names one for litellm")
    if importlib.util.find_spec("litellm") is None:
        return _check("model", False, "litellm is not installed", "reinstall memory_assets")
    where = f" at {settings.extraction.api_base}" if settings.extraction.api_base else ""
    return _check("model", True, f"{settings.extraction.model}{where}; not asked")


def _shared_log(resources: Resources) -> CheckV1:
    from memory_assets.maintenance.mirror import mirror_status

    found = mirror_status(resources)
    if found.problem:
        return _check("shared log", False, f"{found.log}: {found.problem}", "`memory mirror status` says more")
    return _check("shared log", True, f"{found.log}, {found.head_seq} events, {found.mirror_seq} of them here")


def _idris2(resources: Resources, database: Database | None) -> CheckV1:
    from memory_assets.graduation.proofs.idris2_verdicts import Idris2

    found = resources.idris2
    if isinstance(found, Idris2):
        waiting = _without_verdict(database, found.version) if database else 0
        line = f"proofs are judged by {resources.checkers_line}"
        if not waiting:
            return _check("idris2", True, line)
        of = "1 session" if waiting == 1 else f"{waiting} sessions"
        return _check("idris2", True, f"{line}; on {of} it gave no verdict", "`memory run --all` asks it again")
    if found is not None:
        return _check("idris2", False, f"it cannot be used: {found.reason}", "mend it, or take it from PATH and idris.path")
    if resources.settings.graduation.require_idris2:
        return _check(
            "idris2", False, "graduation.require_idris2 is set and there is no idris2", "install it, or set idris.path"
        )
    return _check("idris2", True, "none: the embedded checker judges", "with idris2 on PATH proofs are checked for real")


def _without_verdict(database: Database, version: str) -> int:
    with database.reading() as connection:
        return int(
            scalar(
                connection,
                """SELECT count(DISTINCT session_id) FROM idris_checks WHERE session_id NOT IN
                   (SELECT session_id FROM idris_checks WHERE checker = 'idris2' AND checker_version = ?)""",
                [version],
            )
        )


def _dagster(settings: Settings) -> CheckV1:
    home = settings.dagster_home
    if not (home / "dagster.yaml").is_file():
        return _check("dagster", True, f"{home} has no dagster.yaml yet", "the first import writes it")
    free = shutil.disk_usage(home).free
    return _check("dagster", True, f"{home}, {free / 1e9:.1f} GB free")
