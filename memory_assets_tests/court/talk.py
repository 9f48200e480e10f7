"""A session as a test writes it: who says what, and which call has which result."""

from __future__ import annotations

import json

from memory_assets.court.case import Case, case_of
from memory_assets.court.detectors import findings_of
from memory_assets.court.findings import Finding, FindingKind
from memory_assets.sessions.model import Message, MessageKind, Role

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string"
    " was NOT written to the file)."
)


class Talk:
    """Messages in the order in which they are written."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def user(self, text: str) -> Talk:
        return self._add("user", "said", text)

    def agent(self, text: str) -> Talk:
        return self._add("assistant", "said", text)

    def injected(self, text: str) -> Talk:
        return self._add("user", "injected", text)

    def runs(self, command: str, output: str, *, failed: bool = False, sidechain: bool = False) -> Talk:
        """A command and what it prints."""
        return self.uses("Bash", {"command": command}, output, failed=failed, sidechain=sidechain)

    def edits(self, path: str, old: str = "a", new: str = "b") -> Talk:
        """An edit that works."""
        return self.uses(
            "Edit", {"file_path": path, "old_string": old, "new_string": new}, f"The file {path} has been updated."
        )

    def uses(self, tool: str, given: object, output: str | None, *, failed: bool = False, sidechain: bool = False) -> Talk:
        """A call of a tool and its result; None for a call without one."""
        call_id = f"call-{len(self.messages)}"
        text = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
        self._add("assistant", "tool_call", text, tool, call_id, sidechain=sidechain)
        if output is not None:
            self._add("tool", "tool_result", output, None, call_id, is_error=failed, sidechain=sidechain)
        return self

    def case(self) -> Case:
        return case_of("talk", None, self.messages)

    def found(self, kind: FindingKind | None = None) -> list[Finding]:
        """The findings of the session, of one kind or of all."""
        return [finding for finding in findings_of(self.case()) if kind in (None, finding.kind)]

    def _add(
        self,
        role: Role,
        kind: MessageKind,
        text: str,
        tool: str | None = None,
        call_id: str | None = None,
        *,
        is_error: bool = False,
        sidechain: bool = False,
    ) -> Talk:
        uid = f"m{len(self.messages)}"
        message = Message(uid, role, kind, text, tool_name=tool, tool_use_id=call_id, is_error=is_error, sidechain=sidechain)
        self.messages.append(message)
        return self
