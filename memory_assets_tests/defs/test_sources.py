"""A source speaks for itself alone: from files to tables, in any order, in batches of any size."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.defs import resources, run, sources
from memory_assets.log import long_texts
from memory_assets.log.payloads.sessions import SourceTold
from memory_assets.log.upcasting import payload_as
from memory_assets.sessions import joined_texts
from memory_assets.sessions.injected import user_parts
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import chat, claude, records, talk
from memory_assets_tests.defs.state import Rows, assert_rebuilds_equal, differing, events, rows, tables
from memory_assets_tests.defs.test_order import OF_HISTORY
from memory_assets_tests.depth import IS_DEEP, cases, depth
from memory_assets_tests.sessions.hostile import WRITERS, conversation, cut, forgeries

pytestmark = pytest.mark.long

Words = Counter[tuple[str, str, str]]


def said(settings: Settings) -> Words:
    """What stands in the tables, superseded or not: session, role and words."""
    return Counter(rows(settings, "SELECT session_id, role, trim(text, ' \n') FROM messages"))


def state(settings: Settings) -> dict[str, Rows]:
    """Every derived table, but for what a session's earlier revisions had: entries that the current one does not have."""
    found = tables(settings, without=OF_HISTORY)
    found["entries"] = [row for row in found["entries"] if row["status"] != "superseded"]
    current = {row["entry_id"] for row in found["entries"]}
    found["promotions"] = [row for row in found["promotions"] if row["target_id"] in current]
    return found


def write_claims(folder: Path, draw: random.Random, names: Sequence[str], most: int) -> tuple[list[Path], list[Path]]:
    """A session of each format, and files of all formats that claim them."""
    folder.mkdir()
    victims, claims = [], []
    for number, name in enumerate(names):
        turns = conversation(number, draw.randrange(3, 9))
        session_id = f"talk-{number}"
        victims.append(folder / f"victim-{number}-{name.replace(' ', '-')}")
        victims[-1].write_bytes(WRITERS[name](session_id, turns))
        made = list(forgeries(turns, draw))
        for place, (_, claimed) in enumerate(draw.sample(made, min(most, len(made)))):
            data = draw.choice(list(WRITERS.values()))(session_id, claimed)
            claims.append(folder / f"claim-{number}-{place}")
            claims[-1].write_bytes(cut(data, draw) if draw.random() < 0.2 else data)
    return victims, claims


@pytest.mark.deep
@pytest.mark.parametrize(
    ("names", "most"),
    [
        pytest.param(("claude_code", "chat.v1 without ids"), 5, id="two formats"),
        pytest.param(("claude_code", "chat.v1 without ids", "specstory"), 5, id="three formats", marks=pytest.mark.slow),
        pytest.param(tuple(WRITERS), 15, id="every format", marks=pytest.mark.slow),
    ],
)
def test_claims_change_nothing_and_their_order_does_not_matter(
    names: Sequence[str], most: int, tmp_path: Path, unrecorded: dg.DagsterInstance
) -> None:
    draw = random.Random(24)
    victims, claims = write_claims(tmp_path / "inbox", draw, names, most)
    before: Words = Counter()
    states = []
    for place in range(2):
        settings = load_settings({"home": tmp_path / f"home-{place}"})
        if place == 0:
            run.import_paths(settings, victims, project=None)
            before = said(settings)
            if IS_DEEP:
                run.import_paths(settings, claims[:1], project=None)
            run.import_paths(settings, claims, project=None)
        else:
            files = [*victims, *claims]
            draw.shuffle(files)
            middle = len(files) // 2 if IS_DEEP else 0
            for some in filter(None, (files[:middle], files[middle:])):
                run.import_paths(settings, some, project=None)
        assert not before - said(settings)
        # The tables of both are equal, and one of them is what a replay gives.
        if place == 1 or IS_DEEP:
            assert_rebuilds_equal(settings)
        states.append(state(settings))
    assert differing(*states) == {}
    assert sum(before.values()) >= 10 and len(claims) >= 5 * len(names)


@pytest.mark.parametrize("order", [("page.md", "talk.json"), pytest.param(("talk.json", "page.md"), marks=pytest.mark.slow)])
def test_a_page_with_a_date_of_its_own_keeps_it_beside_a_file_with_times(
    order: tuple[str, str], inbox: Path, settings: Settings, take: Import
) -> None:
    said = "We decided to keep the cache on disk because a restart is rare."
    message = {"role": "user", "ts": "2026-03-01T09:00:00Z", "content": said}
    texts = {
        "page.md": f"---\nsession_id: shared\ndate: 2026-03-01\n---\n\n## User\n\n{said}\n",
        "talk.json": json.dumps({"schema_version": "chat.v1", "session_id": "shared", "messages": [message]}),
    }
    for name in order:
        (inbox / name).write_text(texts[name], encoding="utf-8")
        take(inbox / name)
    assert rows(settings, "SELECT started_at FROM sessions") == [(datetime(2026, 3, 1),)]


def test_a_known_message_id_does_not_rewrite_the_message(inbox: Path, settings: Settings, take: Import) -> None:
    victim = chat(inbox, "standup", talk(1))
    take(victim)
    shown = rows(settings, "SELECT message_index, message_uid, text FROM messages ORDER BY 1")
    memories = rows(settings, "SELECT memory_id, title FROM memories ORDER BY 1")
    forged = chat(inbox, "standup", ["We decided to keep service 1 on MySQL."], name="forged.json")
    report = take(forged)
    assert report.errors == []
    assert rows(settings, "SELECT message_index, message_uid, text FROM messages ORDER BY 1")[: len(shown)] == shown
    assert set(rows(settings, "SELECT memory_id, title FROM memories ORDER BY 1")) >= set(memories)
    assert [(warning["reason"], Path(warning["path"]).name) for warning in report.warnings] == [
        ("unrelated_history", "forged.json"),
        ("unrelated_history", "standup.json"),
    ]
    assert take(inbox).events_appended == 0


def test_what_a_source_says_no_longer_stays_readable(inbox: Path, settings: Settings, take: Import) -> None:
    told = talk(2)
    chat(inbox, "plain", told, ids=False)
    take(inbox)
    assert rows(settings, "SELECT count(*) FROM memories WHERE title LIKE '%Redis%'") == [(1,)]
    instead = "We decided to keep the cache of service 2 on disk because a restart is rare."
    chat(inbox, "plain", [told[0], instead], ids=False)
    report = take(inbox)
    assert (report.updated, report.errors) == (1, [])
    found = rows(settings, "SELECT kind, text FROM messages ORDER BY message_index")
    assert [kind for kind, _ in found] == ["said", "superseded", "superseded", "superseded", "said"]
    assert [text for _, text in found] == [
        *told,
        "We decided to keep the cache of service 2 on disk because a restart is rare.",
    ]
    # It can be read, and nothing is remembered from it.
    assert rows(settings, "SELECT count(*) FROM memories WHERE title LIKE '%Redis%'") == [(0,)]
    assert_rebuilds_equal(settings)
    chat(inbox, "plain", told, ids=False)
    take(inbox)
    assert rows(settings, "SELECT count(*) FROM memories WHERE title LIKE '%Redis%'") == [(1,)]


@pytest.mark.parametrize("grows", cases([False], [True]))
def test_what_an_older_reader_cut_into_messages_is_one_once_it_is_read_again(
    inbox: Path, settings: Settings, take: Import, monkeypatch: pytest.MonkeyPatch, *, grows: bool
) -> None:
    mention, words = "[@CLAUDE.md](file:///w/CLAUDE.md)", "은 앞으로 항상 한국어로 쓰자."
    told = records("mention", talk(3, 4))
    told[0]["message"]["content"] = [{"type": "text", "text": text} for text in (mention, words)]
    file = claude(inbox, "mention.jsonl", told)
    with monkeypatch.context() as older:
        older.setattr(joined_texts, "_of_said", lambda texts: [part for text in texts for part in user_parts(text)])
        older.setattr(sources, "READER_VERSION", "2")
        take(file)
    for kept in (resources.open_store, resources._store_of):  # what a process keeps open: the newer version is another one
        kept.cache_clear()
    shown = "SELECT message_uid, kind, text FROM messages ORDER BY message_index"
    assert [text for _, _, text in rows(settings, shown)][:2] == [mention, words]
    if grows:
        claude(inbox, "mention.jsonl", [*told, *records("mention", talk(3, 6)[4:], first=4)])
    assert take(file).updated == 1
    first, *rest = rows(settings, shown)
    assert first == (str(told[0]["uuid"]), "said", f"{mention}{words}")
    assert [text for _, _, text in rest] == talk(3, 6 if grows else 4)[1:]
    assert {kind for _, kind, _ in rest} == {"said"}
    assert_rebuilds_equal(settings)
    assert take(file).events_appended == 0


WHOLE = 1_000_000
"""Characters that no page has: it stands in one event."""


@pytest.mark.deep
@pytest.mark.parametrize(("grows", "event_characters"), cases([(False, 20)], [(True, 20), (False, WHOLE), (True, WHOLE)]))
def test_a_page_that_only_repeats_the_records_is_remembered_as_what_its_source_told(
    tmp_path: Path, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch, *, grows: bool, event_characters: int
) -> None:
    """Another page that says more is united with it, whichever of the two came first; it is written down as it grows."""
    monkeypatch.setattr(long_texts, "EVENT_CHARACTERS", event_characters)
    turns = conversation(1, 6)
    other = [*turns[:2], *conversation(2, 3)]
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    log, repeats, says_more = inbox / "log.jsonl", inbox / "repeats.md", inbox / "says_more.md"
    log.write_bytes(WRITERS["claude_code"]("talk", turns))
    says_more.write_bytes(WRITERS["markdown"]("talk", other))
    states = []
    orders = [[log, repeats, says_more], [repeats, says_more, log], [log, says_more, repeats]]
    for number, order in enumerate(orders[: depth(2, 3)]):
        settings = load_settings({"home": tmp_path / f"home-{number}"})
        # One import a file in the first order; in a shallow run the other order is one import of them all.
        for paths in [[path] for path in order] if number == 0 or IS_DEEP else [order]:
            for length in (3, 6) if grows and repeats in paths else (6,):
                repeats.write_bytes(WRITERS["markdown"]("talk", turns[:length]))
                run.import_paths(settings, paths, project=None)
        states.append(state(settings))
        pages = [page for event in events(settings, "source_told") if (page := payload_as(event, SourceTold).page)]
        if number == 0:
            assert [(page.common_prefix, len(page.messages)) for page in pages] == ([(0, 3), (3, 3)] if grows else [(0, 6)])
            assert any(page.continued for page in pages) == (event_characters == 20)
        # The tables of all orders are those of one that a replay gives again.
        if number == 0 or IS_DEEP:
            assert_rebuilds_equal(settings)
    assert all(differing(states[0], other) == {} for other in states[1:])


@pytest.mark.parametrize(
    "lengths", [pytest.param((6,), id="at once"), pytest.param((4, 6), id="growing", marks=pytest.mark.slow)]
)
def test_who_told_what_is_kept_over_many_revisions(
    lengths: tuple[int, ...], tmp_path: Path, unrecorded: dg.DagsterInstance
) -> None:
    """Two files of one session, both growing, the second from a fork: whichever is read first, the same."""
    states = []
    for order in (["first", "second"], ["second", "first"]):
        settings = load_settings({"home": tmp_path / f"home-{order[0]}"})
        for length in lengths:
            for name in order:
                turns = records("s", talk(1, length))
                for record in turns[3:] if name == "second" else ():
                    record["uuid"] += "-fork"
                    record["message"]["content"] = f"Or rather: {record['message']['content']}"
                run.import_paths(settings, [claude(tmp_path / "inbox", f"{name}.jsonl", turns)], project=None)
        told = events(settings, "source_told")
        assert len({event.causation_id for event in told}) >= 2 * len(lengths)
        states.append(state(settings))
    assert_rebuilds_equal(settings)
    assert differing(*states) == {}
    assert rows(settings, "SELECT count(*), count(DISTINCT message_uid) FROM messages WHERE kind = 'said'") == [(9, 9)]


@pytest.mark.parametrize("order", [(0, 1), pytest.param((1, 0), marks=pytest.mark.slow)])
def test_two_conversations_of_one_id_are_both_kept(
    order: tuple[int, int], tmp_path: Path, settings: Settings, take: Import
) -> None:
    paths = [
        claude(tmp_path / "a", "edge.jsonl", records("todowrite_session", talk(1))),
        claude(
            tmp_path / "b",
            "todo.jsonl",
            [record | {"uuid": f"o{record['uuid']}"} for record in records("todowrite_session", talk(2))],
        ),
    ]
    for place in order:
        take(paths[place])
    assert rows(settings, "SELECT count(*), count(DISTINCT text) FROM messages") == [(8, 8)]
