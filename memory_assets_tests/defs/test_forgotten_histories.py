"""Forgetting in any order with everything else gives what files would have given that never held the forgotten words."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from random import Random

import pytest

from memory_assets.log.session_history import History
from memory_assets.sessions.masking.forgotten_spans import overwritten
from memory_assets.sessions.masking.redaction_policy import default_policy, load_policy
from memory_assets.settings import load_settings
from memory_assets_tests.defs.told_files import Draft, ToldStore, plain, said, spans_of, texts_of
from memory_assets_tests.depth import depth

pytestmark = pytest.mark.long

MILD = load_policy('{"policy_id": "mild", "version": 1, "emails": false}')
FILES = ("records", "records", "records", "half", "later", "page")


@dataclass(frozen=True)
class Gone:
    """What was forgotten: a word wherever it stood, or the whole of the messages that hold it, as they were told then."""

    event_id: str
    word: str
    texts: tuple[str, ...] | None


def without(gone: list[Gone]) -> Callable[[str], str]:
    """What a text would be in a file that never held what is gone."""

    def changed(text: str) -> str:
        for one in gone:
            at = text.find(one.word)
            if at < 0:
                continue
            # The longest of those that stand in it: one message may hold the whole of another.
            told = sorted(map(str.strip, one.texts or ()), key=len, reverse=True)
            core = one.word if one.texts is None else next((core for core in told if core in text), text)
            start = text.find(core)
            text = overwritten(text, [(0, len(text))] if start < 0 else [(start, start + len(core))])
        return text

    return changed


class Both:
    """A store that is told to forget, and what is told to one that need not."""

    def __init__(self, base: Path, seed: int) -> None:
        self.chance = Random(seed)
        self.draft = Draft(f"s{seed}", self.chance)
        self.store = ToldStore(load_settings({"home": base / "real"}), MILD)
        self.model_store = ToldStore(load_settings({"home": base / "model"}), MILD)
        self.gone: list[Gone] = []
        self.tellings: list[tuple[str, list[str], list[str | None]] | None] = []
        self.waiting: dict[str, tuple[str, list[str], list[str | None]]] = {}
        self.policies_changed = False

    def tell(self, uri: str) -> bool:
        telling = (uri, list(self.draft.texts), list(self.draft.names))
        self.waiting[uri] = telling
        taken = self.store.take(self.draft.told(uri), uri)
        if taken:
            self.tellings += self.waiting.values()
            self.waiting = {}
        return taken

    def edit(self) -> None:
        before = list(self.draft.texts)
        self.draft.edit()
        state = self.history
        if not self.tell("records"):
            assert self.history == state, "what is put aside changes nothing"
            self.draft.texts = before
            assert self.tell("records")

    @property
    def history(self) -> object:
        history = self.store.history(self.draft.session_id)
        return history and (history.event_id, history.messages)

    def forget(self) -> None:
        number = self.chance.randrange(len(self.draft.texts))
        word = self.draft.word(number)
        whole = self.chance.random() < 0.4
        if self.chance.random() < 0.15:
            word, whole = "Ada0", False
        history = self.store.history(self.draft.session_id)
        if history is None or any(one.word == word for one in self.gone):
            return
        texts = tuple(message.text for message in history.messages if word in message.text)
        event_id = self.store.forget(self.draft.session_id, lambda history: spans_of(history, word, whole=whole))
        if event_id:
            self.gone.append(Gone(event_id, word, texts if whole else None))

    def unforget(self) -> None:
        if self.gone:
            one = self.gone.pop(self.chance.randrange(len(self.gone)))
            self.store.unforget(self.draft.session_id, one.event_id)

    def change_policy(self) -> None:
        policy = default_policy() if self.store.sources.policy is MILD else MILD
        if policy is MILD or any("@" in text for text in self.draft.texts):
            return
        # A mask has another length than what it stands for.
        self.draft.words = [words for words in self.draft.words if "@" not in words]
        self.store.mask_by(policy)
        self.store.ingest(self.draft.session_id)
        self.tellings.append(None)

    def expected(self) -> object:
        """What the other store holds in the end."""
        never = without(self.gone)
        for telling in self.tellings:
            if telling is None:
                self.model_store.mask_by(default_policy())
                self.model_store.ingest(self.draft.session_id)
            else:
                uri, texts, names = telling
                draft = Draft(self.draft.session_id, self.chance, texts, names)
                assert self.model_store.take(draft.told(uri, never), uri)
        history = self.model_store.history(self.draft.session_id)
        return history and said_now(history)


def said_now(history: History) -> object:
    """What a history says now, and its title. What it says no longer depends on what was known when it was told otherwise.

    So does which telling of a record stands first: one that was told before, and is blank now, may be the beginning of another.
    """
    current = [message for message in said(history) if "superseded" not in message]
    of_records = [sorted(tellings, key=repr) for _, tellings in groupby(current, key=lambda message: message[4])]
    return of_records, plain(history.heading.title or "")


def steps(both: Both) -> None:
    for _ in range(both.chance.randint(2, 4)):
        both.draft.grow(may_repeat=True)
    both.tell("records" if both.chance.random() < 0.8 else "page")
    for _ in range(both.chance.randint(3, 9)):
        match both.chance.choice(["grow", "tell", "tell", "edit", "forget", "forget", "forget", "unforget", "policy"]):
            case "grow":
                both.draft.grow(may_repeat=not both.gone)
            case "tell":
                both.tell(both.chance.choice(FILES))
            case "edit":
                both.edit()
            case "forget":
                both.forget()
            case "unforget":
                both.unforget()
            case _:
                both.change_policy()
        for one in both.gone:
            for text in texts_of(both.store, both.draft.session_id):
                assert one.word not in text, one
    # All files once more: nothing comes of it.
    for uri in dict.fromkeys(uri for uri, *_ in filter(None, both.tellings)):
        both.tell(uri)
    state = both.history
    for uri in dict.fromkeys(uri for uri, *_ in filter(None, both.tellings)):
        both.tell(uri)
    assert both.history == state, "what is read again adds nothing"


@pytest.mark.deep
@pytest.mark.timeout(7200)
def test_any_history_is_that_of_files_that_never_held_the_words(tmp_path: Path) -> None:
    first = int(os.environ.get("FIRST_SEED", "0"))
    for seed in range(first, first + depth(8, 2000)):
        both = Both(tmp_path / str(seed // 100), seed)
        with both.store.database.kept_open(), both.model_store.database.kept_open():
            steps(both)
            history = both.store.history(both.draft.session_id)
            assert history is not None
            assert said_now(history) == both.expected(), seed
