"""A file that is not, byte for byte, what an export wrote is refused by name, and nothing of it is taken."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import memory_assets
from memory_assets.configuration import Resources
from memory_assets.errors import InvalidArgumentError
from memory_assets.exchange.errors import ExportNewerError, ExportRefusedError
from memory_assets.exchange.format import is_export
from memory_assets.exchange.staging import staged
from memory_assets.log.event_log import EventLog
from memory_assets.progress import NoProgress
from memory_assets.sessions.model import SourceRefused
from memory_assets.sessions.reading import read_source
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.exchange.conftest import Store, store_at
from memory_assets_tests.exchange.files import Event, forged, sealed
from memory_assets_tests.filled_store import fill


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    home = tmp_path_factory.mktemp("whole")
    return Store(fill(home)).export(home / "e").read_bytes()


def refused(file: Path) -> str:
    """Why a file is refused; it fails where one is not."""
    if not is_export(file):
        outcome = read_source(str(file), file.read_bytes(), explicit=True)
        assert isinstance(outcome, SourceRefused), outcome
        return outcome.defect.reason
    with (
        pytest.raises(ExportRefusedError) as caught,
        staged(file, beside=file.parent / "memory.duckdb", progress=NoProgress()),
    ):
        pass
    return str(caught.value)


def test_a_file_that_was_cut_off_is_refused(whole: bytes, tmp_path: Path) -> None:
    file = tmp_path / "e"
    lines = whole.splitlines(keepends=True)
    ends = {len(whole) - 1, len(whole) - 2, len(whole) - len(lines[-1]), len(lines[0]), len(lines[0]) - 1, 20, 1}
    draw = random.Random(5)
    ends |= {draw.randrange(1, len(whole)) for _ in range(25)}
    for end in sorted(ends):
        file.write_bytes(whole[:end])
        assert refused(file)
    file.write_bytes(b"".join([*lines[:4], *lines[5:]]))
    assert "checksum" in refused(file) or "events" in refused(file)


def test_a_flipped_byte_anywhere_is_refused(whole: bytes, tmp_path: Path) -> None:
    file = tmp_path / "e"
    draw = random.Random(7)
    header, footer = len(whole.splitlines(keepends=True)[0]), len(whole.splitlines(keepends=True)[-1])
    places = [draw.randrange(len(whole)) for _ in range(120)]
    places += [draw.randrange(header) for _ in range(40)]
    places += [len(whole) - 1 - draw.randrange(footer) for _ in range(40)]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << draw.randrange(8)
        file.write_bytes(bytes(damaged))
        assert refused(file), place


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda lines: [*lines, lines[1]], "behind its last line"),
        (lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], "checksum"),
        (lambda lines: [lines[0], *lines[2:]], "events"),
        (lambda lines: [lines[0], lines[1], *lines[1:]], "events"),
        (lambda lines: lines[1:], "header"),
        (lambda lines: [lines[0].replace(b"export.v1", b"export.v2"), *lines[1:]], "not known here"),
        (lambda lines: [lines[0].replace(b'"project"', b"\"projekt\""), *lines[1:]], "header"),
        (lambda lines: [*lines[:-1], lines[-1].rstrip(b"\n")], "cut off"),
    ],
)  # fmt: skip
def test_lines_that_were_moved_added_or_taken_away_are_refused(
    whole: bytes, tmp_path: Path, change: Callable[[list[bytes]], list[bytes]], reason: str
) -> None:
    file = tmp_path / "e"
    file.write_bytes(b"".join(change(whole.splitlines(keepends=True))))
    assert reason in refused(file)


def _first(events: list[Event], event_type: str) -> Event:
    return next(event for event in events if event["event_type"] == event_type)


def _set(event_type: str, /, **values: object) -> Callable[[list[Event]], list[Event]]:
    def change(events: list[Event]) -> list[Event]:
        _first(events, event_type).update(values)
        return events

    return change


def _payload(event_type: str, /, **values: object) -> Callable[[list[Event]], list[Event]]:
    def change(events: list[Event]) -> list[Event]:
        _first(events, event_type)["payload"].update(values)
        return events

    return change


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda events: [*events, events[0]], id="an event twice"),
        pytest.param(lambda events: events[1:], id="without the revision that a history begins with"),
        pytest.param(_set("session_ingested", session_id="../../etc"), id="a session's id that is a path"),
        pytest.param(_set("session_ingested", chain_id=None), id="a revision of no history"),
        pytest.param(_set("memory_extracted", event_type="evidence_aligned"), id="another type"),
        pytest.param(_set("memory_extracted", stage_version="another"), id="another version"),
        pytest.param(_set("memory_extracted", chain_id="ev_none"), id="a history that is not there"),
        pytest.param(_set("memory_extracted", ts="2025-01-01"), id="a time in another spelling"),
        pytest.param(_set("memory_extracted", ts=None), id="no time"),
        pytest.param(_set("memory_extracted", ts="9999-12-31T23:59:59.999999-10:00"), id="a time behind the last year"),
        pytest.param(_set("memory_extracted", occurred_at="0001-01-01T00:00:00.000000+10:00"), id="a time before all years"),
        pytest.param(_set("memory_extracted", payload_version=9), id="a payload of tomorrow"),
        pytest.param(_set("memory_extracted", seq=4), id="a column that is none"),
        pytest.param(_payload("session_ingested", messages="none"), id="messages that are none"),
        pytest.param(_payload("session_ingested", surprise=1), id="a field that is none"),
        pytest.param(_payload("session_ingested", common_prefix=-1), id="a beginning before the first message"),
        pytest.param(_set("memory_extracted", dedupe_key='["a"]'), id="a key that is none"),
        pytest.param(_set("memory_extracted", dedupe_key="[" * 100_000), id="a key without end"),
    ],
)
def test_what_is_no_event_is_refused_though_all_sums_fit(
    whole: bytes, tmp_path: Path, change: Callable[[list[Event]], list[Event]]
) -> None:
    file = tmp_path / "e"
    file.write_bytes(whole)
    assert refused(forged(file, change))


@pytest.mark.parametrize("event_type", ["session_forgotten", "log_end_accepted"])
def test_what_is_said_to_one_store_alone_is_refused(whole: bytes, tmp_path: Path, event_type: str) -> None:
    def forget(events: list[Event]) -> list[Event]:
        event = dict(events[0], event_type=event_type, payload={"reason": "asked"}, chain_id=None)
        event["dedupe_key"] = json.dumps([event_type, event["session_id"], [], event["stage_version"] or "", 0]).replace(
            ", ", ","
        )
        return [*events, event]

    file = tmp_path / "e"
    file.write_bytes(whole)
    assert "one store alone" in refused(forged(file, forget))


@pytest.mark.long
def test_nothing_is_appended_and_the_report_names_the_file(examples: Store, elsewhere: Store, tmp_path: Path) -> None:
    chat(tmp_path / "own", "own", talk(1))
    elsewhere.take(tmp_path / "own")
    before = elsewhere.log()
    file = examples.export(tmp_path / "e")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(bytes(content))
    report = elsewhere.take(file)
    assert (report.refused, report.events_appended, report.session_ids) == (1, 0, [])
    assert [(error["path"], error["reason"]) for error in report.errors] == [(str(file), "export_invalid")]
    assert elsewhere.log() == before
    assert sorted(path.name for path in elsewhere.settings.home.iterdir() if path.name.startswith("memory-rebuild")) == []


def test_events_that_make_no_tables_are_taken_back(whole: bytes, elsewhere: Store, tmp_path: Path) -> None:
    def twist(events: list[Event]) -> list[Event]:
        # Each is sound for itself; the table of spans takes no evidence of that kind.
        record = _first(events, "entry_materialized")["payload"]["evidence"][0]
        record.update(method="exact", confidence=0.5)
        return events

    file = tmp_path / "e"
    file.write_bytes(whole)
    report = elsewhere.take(forged(file, twist))
    assert [error["reason"] for error in report.errors] == ["export_invalid"]
    assert "no tables" in report.errors[0]["detail"]
    assert elsewhere.log() == []


def test_a_newer_format_is_named(whole: bytes, tmp_path: Path) -> None:
    file = tmp_path / "e"
    file.write_bytes(whole.replace(b"memory_export.v1", b"memory_export.v7"))
    with pytest.raises(ExportNewerError), staged(file, beside=tmp_path / "memory.duckdb", progress=NoProgress()):
        pass


def test_a_project_is_not_given_to_an_export(examples: Store, elsewhere: Store, tmp_path: Path) -> None:
    from memory_assets.defs import run

    file = examples.export(tmp_path / "e")
    with pytest.raises(InvalidArgumentError):
        run.import_paths(elsewhere.settings, [file], project="mine")


def test_a_folder_with_an_export_in_it_is_no_import_of_it(examples: Store, elsewhere: Store, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    examples.export(folder / "e.jsonl")
    report = elsewhere.take(folder)
    assert (report.events_appended, report.errors) == (0, [])
    assert [(Path(w["path"]).name, w["reason"]) for w in report.warnings] == [("e.jsonl", "not_a_session")]


# -- a file that claims what is here --------------------------------------------------------------------------------------


def _said(store: Store) -> list[tuple[object, ...]]:
    return store.rows("SELECT session_id, message_index, message_uid, role, kind, text FROM messages ORDER BY ALL")


def _revision(events: list[Event], *, keeps: int, text: str, roots: bool) -> list[Event]:
    """A further revision of the first session, of somebody who knows all that is in the log."""
    first = _first(events, "session_ingested")
    payload = first["payload"] | {"revision": 2, "common_prefix": keeps}
    message = first["payload"]["messages"][-1] | {"uid": "forged", "text": text}
    payload["messages"] = [message]
    if not roots:
        payload.pop("heading")
    key = json.loads(first["dedupe_key"])
    key[2] = [first["event_id"], "forged", text]
    revision = first | {"payload": payload, "dedupe_key": json.dumps(key, ensure_ascii=False, separators=(",", ":"))}
    from memory_assets.log.events import event_id_of

    if roots:
        revision["chain_id"] = event_id_of(revision["dedupe_key"])
    return [*events, revision]


@pytest.mark.long
@pytest.mark.parametrize(("keeps", "roots"), [(0, False), (3, False), (0, True)], ids=["less", "a tail", "a new history"])
def test_a_forged_revision_takes_nothing_away(whole: bytes, tmp_path: Path, elsewhere: Store, keeps: int, roots: bool) -> None:
    file = tmp_path / "e"
    file.write_bytes(whole)
    elsewhere.take(file)
    before, log = _said(elsewhere), elsewhere.log()
    report = elsewhere.take(
        forged(file, lambda events: _revision(events, keeps=keeps, text="We decided otherwise.", roots=roots))
    )
    assert report.errors == []
    assert [warning["reason"] for warning in report.warnings] == ["session_differs"]
    assert (_said(elsewhere), elsewhere.log()) == (before, log)


@pytest.mark.long
def test_a_history_that_the_file_hides_does_not_hide_ours(whole: bytes, tmp_path: Path, elsewhere: Store) -> None:
    """It stands before ours in the file, and would stand behind it here."""
    file = tmp_path / "e"
    file.write_bytes(whole)
    elsewhere.take(file)
    before = set(_said(elsewhere))

    def hide(events: list[Event]) -> list[Event]:
        *events, root = _revision(events, keeps=0, text="We decided otherwise.", roots=True)
        return [root, *_revision(events, keeps=4, text="One more.", roots=False)]

    report = elsewhere.take(forged(file, hide))
    assert (report.updated, report.errors) == (1, [])
    assert before <= set(_said(elsewhere))
    assert not any("otherwise" in str(row) for row in elsewhere.log())


@pytest.mark.long
def test_a_forged_revision_that_only_adds_is_a_growth(whole: bytes, tmp_path: Path, elsewhere: Store) -> None:
    file = tmp_path / "e"
    file.write_bytes(whole)
    elsewhere.take(file)
    before = set(_said(elsewhere))
    report = elsewhere.take(forged(file, lambda events: _revision(events, keeps=4, text="One more.", roots=False)))
    assert (report.updated, report.errors) == (1, [])
    assert {row[-1] for row in set(_said(elsewhere)) - before} == {"One more."} and before <= set(_said(elsewhere))


@pytest.mark.long
def test_another_answer_under_a_known_id_leaves_the_session_alone(whole: bytes, tmp_path: Path, elsewhere: Store) -> None:
    file = tmp_path / "e"
    file.write_bytes(whole)
    elsewhere.take(file)
    before = elsewhere.log()

    def other(events: list[Event]) -> list[Event]:
        _first(events, "entry_materialized")["payload"]["title"] = "Another title"
        return events

    report = elsewhere.take(forged(file, other))
    assert [warning["reason"] for warning in report.warnings] == ["session_differs"]
    assert elsewhere.log() == before


# -- masking ----------------------------------------------------------------------------------------------------------------

LEAKY = "Please write to someone@example.org, the deploy token is ghp_16C7e42F292c6912E7710c838347Ae178B4a."


@pytest.fixture
def lax(tmp_path: Path) -> Store:
    """A store whose policy let addresses in."""
    from memory_assets.settings import load_settings

    policy = json.loads((Path(memory_assets.__file__).parent / "sessions" / "masking" / "redaction_policy.json").read_text())
    (tmp_path / "lax.json").write_text(json.dumps(policy | {"emails": False}))
    store = Store(
        load_settings(
            {"home": tmp_path / "lax", "embedding": {"model": "hashing"}, "privacy": {"policy_file": tmp_path / "lax.json"}}
        )
    )
    chat(tmp_path / "inbox", "leaky", [*talk(1), LEAKY], project="shop")
    chat(tmp_path / "inbox", "clean", talk(2), project="shop")
    store.take(tmp_path / "inbox")
    return store


@pytest.mark.long
def test_what_an_older_policy_let_in_is_refused_until_it_is_masked(lax: Store, elsewhere: Store, tmp_path: Path) -> None:
    from memory_assets.defs.rescanning import rescan
    from memory_assets.settings import load_settings

    file = lax.export(tmp_path / "e")
    assert "someone@example.org" in file.read_text() and "ghp_16C7" not in file.read_text()
    report = elsewhere.take(file)
    assert [error["reason"] for error in report.errors] == ["export_holds_secrets"]
    assert "message 4 of session leaky" in report.errors[0]["detail"] and "someone" not in report.errors[0]["detail"]
    assert "rescan" in report.errors[0]["detail"]
    assert elsewhere.log() == []
    # Masked where it came from, it is taken.
    strict = load_settings({"home": tmp_path / "lax", "embedding": {"model": "hashing"}})
    assert rescan(strict).changed == ["leaky"]
    report = elsewhere.take(Store(strict).export(file, force=True))
    assert (report.new, report.errors) == (2, [])
    assert "someone@example.org" not in file.read_text()
    assert not any("someone@example.org" in str(row) for row in elsewhere.log())


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_payload("entry_materialized", title="The password is hunter2-horse-staple"), id="a title"),
        pytest.param(_payload("session_ingested", content_hash="ghp_16C7e42F292c6912E7710c838347Ae178B4a"), id="a hash"),
        pytest.param(_set("memory_extracted", actor="AKIAIOSFODNN7EXAMPLE"), id="an actor"),
        pytest.param(_set("memory_extracted", dagster_run_id="AKIAIOSFODNN7EXAMPLE"), id="a run"),
        pytest.param(_set("memory_extracted", telemetry={"note": "someone@example.org"}), id="a measure"),
    ],
)
def test_no_text_of_an_event_is_a_way_round_the_masking(
    whole: bytes, elsewhere: Store, tmp_path: Path, change: Callable[[list[Event]], list[Event]]
) -> None:
    file = tmp_path / "e"
    file.write_bytes(whole)
    report = elsewhere.take(forged(file, change))
    assert [error["reason"] for error in report.errors] == ["export_holds_secrets"]
    assert elsewhere.log() == []


@pytest.mark.long
def test_what_was_masked_before_passes(tmp_path: Path, elsewhere: Store) -> None:
    one = store_at(tmp_path / "one")
    turns = [
        "The password is hunter2-horse. We decided to keep the key AKIAIOSFODNN7EXAMPLE out of the repository.",
        "비밀번호는 hunter2-horse 입니다. 우리는 <private>아무에게도</private> 말하지 않기로 했다.",
        "TODO: rotate api_key=sk-ant-REDACTED before we deploy. mail me@example.org",
        "Commit 3f786850e387550fdab836ed7e6dc881de23001b decided that the cache stays on disk because it is fast.",
    ]
    chat(tmp_path / "inbox", "me@example.org", turns, project="ghp_16C7e42F292c6912E7710c838347Ae178B4a")
    chat(tmp_path / "inbox" / "token ghp_16C7e42F292c6912E7710c838347Ae178B4a", "named", talk(3))
    one.take(tmp_path / "inbox")
    report = elsewhere.take(one.export(tmp_path / "e"))
    assert (report.new, report.errors) == (2, [])
    assert elsewhere.log() == one.log()


def test_an_export_of_a_changed_log_is_none(changed: Store, tmp_path: Path) -> None:
    import duckdb

    from memory_assets.log.errors import LogTamperedError

    with duckdb.connect(str(changed.settings.store_folder / "memory.duckdb")) as connection:
        connection.execute("UPDATE events SET actor = 'forged' WHERE seq = 3")
    with pytest.raises(LogTamperedError):
        changed.export(tmp_path / "e")
    assert not (tmp_path / "e").exists()
    assert EventLog(Resources(changed.settings).database).last_seq() > 3


def test_sealed_lines_are_what_an_export_writes(whole: bytes) -> None:
    assert sealed(whole.splitlines(keepends=True)[:-1]) == whole
