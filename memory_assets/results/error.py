"""What failed, as it is printed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memory_assets.results.model import WireModel

ERROR_CODES: dict[str, str] = {
    "backup_invalid": "a file is no backup, or not the whole of one",
    "export_holds_secrets": "a file that another store exported holds a text that the masking policy here masks",
    "export_invalid": "a file is not, byte for byte, what an export wrote",
    "export_newer": "a file was exported by a newer version",
    "blocker_not_followed": "what a task waits for was not looked up",
    "checker_unavailable": "the proof checker that was asked for cannot be used",
    "config_invalid": "a settings file, environment variable, policy or rules file cannot be used",
    "disk_full": "the disk is full; nothing of the batch was written",
    "extraction_error": "extraction failed",
    "extraction_failed": "the extraction model gave no answer that could be read",
    "exists_already": "something stands where the result would go, and is kept",
    "forgotten_text_moved": "a file tells what was forgotten in other words, so that it cannot be kept away",
    "generic": "something that was not foreseen",
    "graduation": "something in the proof layer failed that is not a verdict",
    "head_moved": "another process added to a session at the same time; run the command again",
    "hearing_failed": "the court's model gave no answer that could be read, or may not be paid; the case is not heard",
    "idris_cache": "the folder of the built Idris package cannot be used",
    "index_corrupt": "the search index cannot be read; `memory rebuild` makes it again",
    "interrupted": "the command was interrupted; what was done is kept",
    "invalid_argument": "a value that was given cannot be used",
    "io_error": "a file, folder or stream cannot be read or written",
    "log_tampered": "another program changed the log: nothing is written to it, and nothing folded from it",
    "model_unavailable": "a model cannot be reached, is overloaded, or takes neither the key nor the name",
    "model_unreachable": "the embedding model is not there or cannot be loaded",
    "not_found": "there is no such thing in the store",
    "not_possible": "it makes no sense as things stand",
    "postgres_behind": "no lessons with vectors of the model in use are in PostgreSQL; `memory court project` writes them",
    "postgres_busy": "another process writes the court's tables in PostgreSQL",
    "postgres_refused": "rights are missing in PostgreSQL, it is too old, or its tables are not ours",
    "postgres_unavailable": "there is no reaching PostgreSQL; the log and the store's own answers need none",
    "project_not_shared": "a session's files say of a project that `sharing.projects` does not name, where they did not before",
    "run_failed": "a run of the stages failed",
    "schema_mismatch": "a store, an index or an event was written for another version or model",
    "shared_log_differs": "the store's file is no mirror of the shared log: another one, or an older state of it",
    "shared_log_refused": "the shared log cannot be used so: rights, versions, settings, or what is not done to one",
    "shared_log_unavailable": "there is no reaching the shared log; what the mirror holds can be read, and nothing be written",
    "short_id_exhausted": "no short id is free for a memory",
    "store_read_only": "the store can be read and not written: its rights or its medium do not allow it",
    "store_locked": "another process holds the store for longer than a caller may wait",
    "terminal_needed": "only a person says this, on a terminal or on a page",
    "unavailable": "what the work needs does not answer; another time it may",
    "unwritable": "a value that no proof module can hold",
}
"""Every code, with what it means. A new error class brings its code here; a code is never taken away."""


class ErrorV1(WireModel):
    """What failed, by a stable code, and the next thing to do.

    Attributes:
        code: one of those that `memory schema` lists; an unknown one is to be taken as ``generic``.
        message: what failed, and of which id.
        hint: the next thing to do; empty where there is nothing to suggest.
    """

    schema_version: Literal["error.v1"] = "error.v1"
    code: str = Field(examples=sorted(ERROR_CODES))
    message: str
    hint: str = ""
