"""Short conversations for the tests of this package."""

from memory_assets.sessions.model import Message, MessageKind, Role


def message(role: Role, text: str, *, kind: MessageKind = "said", uid: str = "", **fields: object) -> Message:
    return Message(uid or f"{role}-{abs(hash(text))}", role, kind, text, **fields)  # type: ignore[arg-type]


def user(text: str, **fields: object) -> Message:
    return message("user", text, **fields)  # type: ignore[arg-type]


def agent(text: str, **fields: object) -> Message:
    return message("assistant", text, **fields)  # type: ignore[arg-type]
