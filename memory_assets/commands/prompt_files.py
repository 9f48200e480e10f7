"""A role's prompt in a file of a project that agents read: planned first, then written at once, and never over a hand edit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from memory_assets.client_settings.errors import ClientConfigError
from memory_assets.client_settings.files import check_writable, replace_text
from memory_assets.commands.errors import NotPossibleError
from memory_assets.court.prompt_blocks import PROMPT_FILES, PromptBlock, Trouble, with_block
from memory_assets.errors import InvalidArgumentError, is_full_disk
from memory_assets.log.fetching import storable

MOST_BYTES: Final = 8 * 1024 * 1024
"""Of a file of instructions."""


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A file of a project, by the name that was given, and where that leads.

    Attributes:
        text: as it was read; None where there is no such file.
    """

    path: Path
    target: Path
    text: str | None


def project_folder(folder: Path) -> Path:
    """The project that a folder lies in: the nearest one above with a repository, else the folder itself."""
    here = folder.resolve()
    return next((above for above in (here, *here.parents) if (above / ".git").exists()), here)


def prompt_file(path: Path, project: Path) -> PromptFile:
    """A file that a prompt may be written into, read.

    Raises:
        InvalidArgumentError: agents read no file of that name, it leads out of the project, or it is no UTF-8 text.
        NotPossibleError: it may not be written.
        OSError: it cannot be read.
    """
    if path.name not in PROMPT_FILES:
        raise InvalidArgumentError(
            f"{path.name[:100]!r} is no file that a prompt is written into", hint=f"one of {', '.join(PROMPT_FILES)}"
        )
    target = path.resolve()
    if not target.is_relative_to(project.resolve()):
        raise InvalidArgumentError(
            f"{path} leads out of the project {project}, to {target}", hint="go into the project that the file belongs to"
        )
    if target.name not in PROMPT_FILES or ".git" in target.parts:
        raise InvalidArgumentError(f"{path} leads to {target}, which agents do not read", hint="name the file itself")
    if not target.exists():
        if not target.parent.is_dir():
            raise InvalidArgumentError(f"there is no folder {target.parent}", hint="make it first")
        return PromptFile(path, target, None)
    if not target.is_file():
        raise InvalidArgumentError(f"{path} is no file", hint="name a file of text")
    try:
        check_writable(target)
    except ClientConfigError as error:
        raise NotPossibleError(str(error), hint="allow it first; nothing was changed") from error
    return PromptFile(path, target, _read(path, target))


class Writing:
    """A file that a prompt is written into within a block of work; where the block fails behind it, the file is as it was."""

    def __init__(self, file: PromptFile) -> None:
        self._file = file
        self._is_written = False
        self._written = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None or not self._is_written or not self._is_ours():
            return
        if self._file.text is None:
            self._file.target.unlink(missing_ok=True)
        else:
            replace_text(self._file.target, self._file.text)

    def write(self, block: PromptBlock) -> Path:
        """Put the block into the file, if that is still what was read; where it stands.

        Raises:
            NotPossibleError: its block was changed by hand or its marks do not stand as we set them; somebody changed the file
                meanwhile; it may not be written. It is as it was.
        """
        text = _with_block(self._file, block)
        _check_unchanged(self._file)
        failed = None
        try:
            replace_text(self._file.target, text, private=False)
        except OSError as error:
            if is_full_disk(error):
                raise
            failed = error.strerror or str(error)
        # Outside of the handler: what raises from a right that is missing is taken for a store that cannot be written.
        if failed is not None:
            raise NotPossibleError(
                f"{self._file.path} cannot be written: {failed}",
                hint="check its rights and those of its folder; nothing was done",
            )
        self._is_written, self._written = True, text
        return self._file.target

    def _is_ours(self) -> bool:
        """Whether the file is what was written: what somebody has made of it meanwhile is theirs."""
        try:
            return self._file.target.read_bytes() == self._written.encode()
        except OSError:
            return False


_TROUBLES: Final = {
    "broken": (
        "has a mark without its other one",
        "take the lines with `memory_assets:prompt` out, or put the missing one back; the file was left as it is",
    ),
    "twice": ("stands there twice", "take one of the two out; the file was left as it is"),
    "changed_by_hand": (
        "was changed by hand",
        "propose the changed text (`memory prompts propose`), or take the lines with its marks out, which makes the text your "
        "own; the file was left as it is",
    ),
}


def _with_block(file: PromptFile, block: PromptBlock) -> str:
    found = with_block(file.text or "", block)
    if isinstance(found, Trouble):
        what, hint = _TROUBLES[found.kind]
        raise NotPossibleError(f"{file.path}: the block of {block.role!r} {what}", hint=hint)
    return found


def _check_unchanged(file: PromptFile) -> None:
    is_there = file.target.is_file()
    if (_read(file.path, file.target) if is_there else None) != file.text:
        what = "was changed" if is_there else "is gone"
        raise NotPossibleError(f"{file.path} {what} meanwhile", hint="run the command again; nothing was done")


def _read(path: Path, target: Path) -> str:
    if target.stat().st_size > MOST_BYTES:
        raise InvalidArgumentError(f"{path} is larger than any file of instructions", hint="name the right one")
    try:
        return target.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidArgumentError(f"{path} is no UTF-8", hint="save it as UTF-8 first; it was left as it is") from error


def read_prompt(path: Path, *, what: str = "prompt") -> str:
    """The text of a file that somebody names as a prompt, or as a policy.

    Raises:
        InvalidArgumentError: there is no such file, or it is no UTF-8 text.
        OSError: it cannot be read.
    """
    if not path.is_file():
        raise InvalidArgumentError(f"there is no file {storable(str(path))[:300]}", hint=f"name a file that holds the {what}")
    return _read(path, path)
