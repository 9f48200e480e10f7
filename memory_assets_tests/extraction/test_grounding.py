"""What a model says beside its quotes stays only when somebody said it."""

from dataclasses import replace

import pytest

from memory_assets.extraction.grounding import ground
from memory_assets.extraction.schema import ExtractedEntry, Quote
from memory_assets.extraction.windows import Window, windows
from memory_assets.vocabulary import EntryType
from memory_assets_tests.extraction.talk import agent, message, user

TALK = [
    user("Before the window we agreed to write all of the documentation in Korean."),
    user("Let's use DuckDB, since it needs  no server at all. 배포는 보안 검토가 끝날 때까지 못 합니다."),
    agent("The release waits for PR #12 and for npm."),
    message("assistant", "Secretly I think that we should use Oracle instead of it.", kind="thinking"),
    agent("Beyond the window: because the licence is permissive."),
]
WINDOW = Window(start=1, end=4, context_start=0)
DECISION = ExtractedEntry("decision", "Use DuckDB", (Quote(1, "Let's use DuckDB, since it needs"),))
TASK = ExtractedEntry("task", "Release", (Quote(2, "The release waits for PR #12"),), status="blocked")


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        ("it needs  no server at all", "it needs  no server at all"),
        ("It needs no server at all", "it needs  no server at all"),
        ("보안 검토가 끝날 때까지", "보안 검토가 끝날 때까지"),
        ("it needs a server after all", None),
        ("it is faster than all the others", None),
        ("we should use Oracle instead of it", None),  # nobody was shown what the agent thought
        ("because the licence is permissive", None),  # it stands beyond the window
    ],
)
def test_a_reason_is_in_the_sessions_characters_or_gone(reason: str, kept: str | None) -> None:
    grounded = ground([replace(DECISION, reason=reason)], TALK, WINDOW)
    assert grounded.entries[0].reason == kept
    assert grounded.warnings == ({} if kept else {"reasons that nobody said dropped": 1})


def test_blockers_are_in_the_sessions_characters_or_gone() -> None:
    said = ("PR #12", "npm", "보안 검토", "PR #1", "np", "the lawyers")
    grounded = ground([replace(TASK, blocked_by=said)], TALK, WINDOW)
    assert grounded.entries[0].blocked_by == ("PR #12", "npm", "보안 검토")
    assert grounded.warnings == {"blockers that nobody said dropped": 3}


def test_an_entry_of_the_context_belongs_to_the_window_before_wherever_it_is_said_to_stand() -> None:
    quote = "we agreed to write all of the documentation in Korean"
    entries = [ExtractedEntry("decision", "Korean", (Quote(index, quote),)) for index in (0, 1, 2)]
    grounded = ground(entries, TALK, WINDOW)
    assert grounded.entries == () and grounded.warnings == {"entries that rest on the context only dropped": 3}


def test_an_entry_whose_message_is_counted_one_too_low_is_not_lost() -> None:
    entry = ExtractedEntry("decision", "Use DuckDB", (Quote(0, "Let's use DuckDB, since it needs  no server"),))
    assert ground([entry], TALK, WINDOW).entries == (entry,)


def test_an_invented_quote_stays_for_the_aligner_to_refuse() -> None:
    entry = ExtractedEntry(
        "fact", "Oracle", (Quote(1, "Everybody here is fond of Oracle databases"), Quote(99, "nowhere at all"))
    )
    grounded = ground([entry], TALK, WINDOW)
    assert grounded.entries == (entry,) and grounded.warnings == {}


def test_what_rests_on_pasted_or_template_text() -> None:
    document = "# Guide\n\n" + "Always read the whole file first. " * 40
    talk = [user(document + "\n\n이 문서를 docs로 옮겨줘"), user("<context ref='a'>\nNever push to main.\n</context>\n고쳐줘")]
    (window,) = windows(talk)

    def entry(kind: EntryType, index: int, quote: str) -> ExtractedEntry:
        return ExtractedEntry(kind, quote, (Quote(index, quote),))

    grounded = ground(
        [
            entry("preference", 0, "Always read the whole file first."),
            entry("fact", 0, "Always read the whole file first."),
            entry("task", 0, "이 문서를 docs로 옮겨줘"),
            entry("preference", 1, "Never push to main."),
        ],
        talk,
        window,
    )
    assert [one.entry_type for one in grounded.entries] == ["fact", "task"]
    assert grounded.warnings == {
        "preference entries that rest on pasted text dropped": 1,
        "preference entries that rest on template text dropped": 1,
    }
