"""Small histories in which something is forgotten, wanted back and told again; random ones found them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from memory_assets.sessions.masking.redaction_policy import load_policy
from memory_assets.settings import load_settings
from memory_assets_tests.defs.told_files import Draft, ToldStore, plain, spans_of, texts_of

MILD = load_policy('{"policy_id": "mild", "version": 1, "emails": false}')


class Story:
    """A session that is told to a store, its messages by a person and an agent in turn."""

    def __init__(self, base: Path, *texts: str) -> None:
        self.draft = Draft("told", Random(0), list(texts), [None for _ in texts])
        self.store = ToldStore(load_settings({"home": base}), MILD)

    def tell(self, uri: str = "records") -> None:
        assert self.store.take(self.draft.told(uri), uri)

    def forget(self, word: str, *, whole: bool = True) -> str:
        event_id = self.store.forget("told", lambda history: spans_of(history, word, whole=whole))
        assert event_id
        return event_id

    def unforget(self, event_id: str) -> None:
        self.store.unforget("told", event_id)

    @property
    def texts(self) -> list[str]:
        history = self.store.history("told")
        assert history is not None
        return [plain(message.text).strip() for message in history.messages]

    @property
    def title(self) -> str:
        history = self.store.history("told")
        assert history is not None
        return plain(history.heading.title or "")


@pytest.mark.parametrize("again", [False, True], ids=["at once", "told again"])
def test_a_title_that_a_message_still_says_is_kept(tmp_path: Path, *, again: bool) -> None:
    story = Story(tmp_path, "TODO\nthe zebra\ntests pass\n", "", "tests pass\nrollback")
    story.tell()
    assert story.title == "tests pass"
    story.forget("zebra")
    if again:
        story.draft.grow(may_repeat=False)
        story.tell()
    assert story.title == "tests pass"
    story.forget("rollback")
    assert story.title == ""


@pytest.mark.long
def test_what_is_wanted_back_is_back_in_a_copy_of_another_source(tmp_path: Path) -> None:
    story = Story(tmp_path, "the zebra stands there", "the yak lies in the grass")
    story.tell("page")
    event_id = story.forget("yak")
    story.tell("records")
    assert story.texts == ["the zebra stands there", ""]
    story.unforget(event_id)
    assert story.texts == ["the zebra stands there", "the yak lies in the grass"]
    story.tell("page")
    assert story.texts == ["the zebra stands there", "the yak lies in the grass"]


@pytest.mark.long
def test_what_a_record_went_on_with_is_back_that_only_another_source_had_told_when_it_was_forgotten(tmp_path: Path) -> None:
    story = Story(tmp_path, "the zebra stands there", "the yak lies in the grass.")
    story.tell("records")
    story.draft.texts[1] += " That is all."
    story.tell("page")
    event_id = story.forget("yak")
    story.tell("records")
    assert story.texts == ["the zebra stands there", ""]
    story.unforget(event_id)
    assert story.texts == story.draft.texts


@pytest.mark.long
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "a word first"])
def test_a_page_that_says_nothing_more_is_left_out_however_it_is_overwritten(tmp_path: Path, *, at_once: bool) -> None:
    story = Story(tmp_path, "the zebra stands there", "the yak lies in the grass")
    story.tell("page")
    story.draft.texts[1] = "TODO the yak lies in the grass to the end"
    story.tell("records")
    assert len(story.texts) == 4
    words = [] if at_once else [story.forget("TODO the", whole=False)]
    words.append(story.forget("yak"))
    assert story.texts == ["the zebra stands there", ""]
    for event_id in words:
        story.unforget(event_id)
    assert story.texts == [
        "the zebra stands there",
        story.draft.texts[1],
        "the zebra stands there",
        "the yak lies in the grass",
    ]


def test_a_name_stays_away_from_what_a_new_file_tells(tmp_path: Path) -> None:
    story = Story(tmp_path, "the zebra stands there", "the yak lies in the grass", "the newt swims")
    story.draft.names = ["Ada0", None, "Ada0"]
    story.tell("half")
    story.forget("Ada0", whole=False)
    story.tell("later")
    history = story.store.history("told")
    assert history and [plain(message.name or "").strip() for message in history.messages] == ["", "", ""]


@pytest.mark.long
def test_what_was_left_out_when_it_was_forgotten_comes_back_though_it_goes_on(tmp_path: Path) -> None:
    story = Story(tmp_path, "the zebra stands there", "the yak lies in the grass.")
    story.tell("records")
    story.tell("page")
    event_id = story.forget("yak")
    story.draft.texts[1] += " for ever"
    story.tell("page")
    assert story.texts == [
        "the zebra stands there",
        "",
        "the zebra stands there",
        "for ever",
    ]
    story.draft.texts[1] += " and a day"
    story.tell("records")
    story.unforget(event_id)
    longer = story.draft.texts[1]
    assert story.texts == ["the zebra stands there", longer, "the zebra stands there", longer.removesuffix(" and a day")]


def test_all_of_a_message_stays_away_that_holds_another_one(tmp_path: Path) -> None:
    story = Story(tmp_path, "the zebra stands there", "the yak lies in the grass")
    story.tell("records")
    story.draft.texts[1] = "postgres the yak lies in the grass"
    story.tell("records")
    story.forget("yak")
    story.tell("page")
    assert set(story.texts) == {"the zebra stands there", ""}


def test_the_title_comes_back_from_what_is_said_now(tmp_path: Path) -> None:
    story = Story(tmp_path, "the zebra stands there")
    story.tell()
    story.draft.texts[0] = "postgres the zebra stands there"
    story.tell()
    event_id = story.forget("zebra")
    assert story.title == ""
    story.unforget(event_id)
    assert story.title == "postgres the zebra stands there"


@pytest.mark.long
def test_no_source_has_a_title_again_that_was_forgotten_twice(tmp_path: Path) -> None:
    story = Story(tmp_path, "the zebra stands there", "the yak lies in the grass")
    story.tell("records")
    story.unforget(story.forget("zebra", whole=False))
    story.tell("later")
    story.forget("zebra", whole=False)
    story.forget("yak", whole=False)
    assert not [text for text in texts_of(story.store, "told") if "zebra" in text]
