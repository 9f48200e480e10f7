"""What can fail with an export."""

from __future__ import annotations

from memory_assets.errors import MemoryAssetsError


class ExportRefusedError(MemoryAssetsError):
    """A file of events cannot be taken; nothing of it was.

    Attributes:
        line: 1-based line of the file; None where it is the whole file's.
        detail: one line for people, without the file's name and without text of a session.
    """

    code = "export_invalid"

    def __init__(self, detail: str, *, line: int | None = None, hint: str = "") -> None:
        super().__init__(detail if line is None else f"line {line}: {detail}", hint=hint)
        self.detail = detail
        self.line = line


class ExportNewerError(ExportRefusedError):
    """A newer version of the program wrote the file."""

    code = "export_newer"


class ExportNotSharedError(ExportRefusedError):
    """The file holds what stays on this machine, and the store mirrors a log that others share."""

    code = "project_not_shared"


class ExportHoldsSecretsError(ExportRefusedError):
    """A text of the file holds what the policy in force masks."""

    code = "export_holds_secrets"
