"""What cannot be said of a memory, a conflict or a decision."""

from memory_assets.errors import MemoryAssetsError


class NotPossibleError(MemoryAssetsError):
    """It makes no sense as things stand: a stage that it has, a conflict that is resolved, sides that cannot be one."""

    code = "not_possible"


class PromptChangedError(NotPossibleError):
    """A text was made from a prompt that is not the active one any more."""


class TerminalNeededError(MemoryAssetsError):
    """Only a person says this, and no person sits before it."""

    code = "terminal_needed"
