"""Of what was corrected over and over, what was said last holds, whatever it was said instead of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory_assets.sessions.masking.redaction_policy import default_policy
from memory_assets.sessions.model import Message, Session
from memory_assets.settings import Settings
from memory_assets_tests.defs.staged_store import StagedStore
from memory_assets_tests.defs.state import assert_rebuilds_equal
from memory_assets_tests.defs.told_files import DAY

pytestmark = pytest.mark.long

OLD = "We decided to round every entry up to 15 minutes, because customers check the invoice."
SIX = "We round every entry up to 6 minutes."
TEN = "We round every entry up to 10 minutes."
TWELVE = "We round every entry up to 12 minutes."
NEVER = "We do not round at all any more."


class Corrected(StagedStore):
    """A store of one session that said the old words."""

    def correct_to(self, title: str, text: str) -> str:
        memory = next(one for one in self.known.memories["ledger"] if one.title == title)
        session_id = self.correct(memory.citation, text)
        self.settle()
        return session_id

    def forget_all_of(self, session_id: str) -> str:
        word = self.forget_session(session_id, DAY)
        self.settle()
        return word

    def want_back(self, session_id: str, word: str) -> None:
        self.unforget_session(session_id, word)
        self.settle()

    @property
    def held_by(self) -> dict[str, str | None]:
        """By each memory's words, those of what stands in its place."""
        memories = self.known.memories["ledger"]
        titles = {one.citation: one.title for one in memories}
        return {one.title: one.superseded_by and titles[one.superseded_by] for one in memories}


@pytest.fixture
def store(settings: Settings) -> Iterator[Corrected]:
    store = Corrected(settings, default_policy())
    with store.database.kept_open():
        message = Message(uid="u0", role="user", text=OLD, ts=DAY)
        assert store.take(Session("talk", "talk", "claude_code", (message,), project="ledger"), "talk.jsonl")
        store.run("talk")
        store.settle()
        yield store


def test_all_of_a_chain_is_set_aside_for_what_holds_now(store: Corrected) -> None:
    """However many corrections lie between the two."""
    said = [store.correct_to(*pair) for pair in ((OLD, SIX), (SIX, TEN), (TEN, TWELVE), (TWELVE, NEVER))]
    assert store.held_by == {OLD: NEVER, SIX: NEVER, TEN: NEVER, TWELVE: NEVER, NEVER: None}
    word = store.forget_all_of(said[-1])
    assert store.held_by == {OLD: TWELVE, SIX: TWELVE, TEN: TWELVE, TWELVE: None}
    store.want_back(said[-1], word)
    assert store.held_by == {OLD: NEVER, SIX: NEVER, TEN: NEVER, TWELVE: NEVER, NEVER: None}
    assert_rebuilds_equal(store.settings)


def test_a_later_correction_sets_aside_what_corrected_an_earlier_one_too(store: Corrected) -> None:
    first, *_ = [store.correct_to(*pair) for pair in ((OLD, SIX), (SIX, TEN), (TEN, TWELVE), (OLD, NEVER))]
    assert store.held_by == {OLD: NEVER, SIX: NEVER, TEN: NEVER, TWELVE: NEVER, NEVER: None}
    # What was said instead of the earlier one was said instead of the old words through it alone.
    word = store.forget_all_of(first)
    assert store.held_by == {OLD: NEVER, TEN: TWELVE, TWELVE: None, NEVER: None}
    assert_rebuilds_equal(store.settings)
    store.want_back(first, word)
    assert store.held_by == {OLD: NEVER, SIX: NEVER, TEN: NEVER, TWELVE: NEVER, NEVER: None}
    assert_rebuilds_equal(store.settings)


def test_who_says_the_first_correction_again_has_the_last_word(store: Corrected) -> None:
    for pair in ((OLD, SIX), (SIX, TEN), (OLD, SIX)):
        store.correct_to(*pair)
    assert store.held_by == {OLD: SIX, TEN: SIX, SIX: None}
    assert {one.status for one in store.known.memories["ledger"] if one.title == SIX} == {"active"}
    assert_rebuilds_equal(store.settings)
