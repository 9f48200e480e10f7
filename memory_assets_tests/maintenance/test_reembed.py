"""Another model: whole before it is in force, kept when one goes back, and the same by hand through the stage."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs.materializing import materialize
from memory_assets.errors import InvalidArgumentError
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.maintenance.doctor import checks
from memory_assets.maintenance.indexing import bring_in_line, write_waiting
from memory_assets.maintenance.init import initialise
from memory_assets.maintenance.outbox import outbox_status
from memory_assets.maintenance.rebuild import rebuild_all, verify_all
from memory_assets.maintenance.reembed import chosen_embedding
from memory_assets.memory import Memory
from memory_assets.settings import Settings, load_settings
from memory_assets.settings_file import stronger_than_the_file, write_embedding
from memory_assets.settings_sections import EmbeddingSettings
from memory_assets.vectors import embedder as embedders
from memory_assets.vectors.calibration import known_calibration
from memory_assets.vectors.encoder import eight_bit_choice
from memory_assets.vectors.errors import EmbedderUnavailableError
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.filled_store import fill, tell
from memory_assets_tests.tiny_model import DIMENSIONS, save_tiny_model
from memory_assets_tests.vectors.encoder.processor import sums_whole_numbers

FILE = """# mine, keep it
[store]
lock_timeout_seconds = 7  # slow disk

[embedding]
# the model
model = "hashing"
batch_size = 8

[sessions]
settle_seconds = 3.0
"""


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("MEMORY_") or name == "DAGSTER_HOME":
            monkeypatch.delenv(name)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny-multilingual")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A store whose settings lie in a file."""
    folder = tmp_path / "home"
    fill(folder)
    (folder / "memory.toml").write_text(FILE, encoding="utf-8")
    (folder / "memory.toml").chmod(0o640)
    return folder


def opened(home: Path, **more: Any) -> Memory:
    return Memory(load_settings({"home": home, **more}))


def versions(memory: Memory) -> dict[str, tuple[bool, int | None]]:
    return {one.embedding_version: (one.in_force, one.rows) for one in outbox_status(memory.resources).versions}


def units(memory: Memory) -> int:
    return outbox_status(memory.resources).units


def vectors_of(memory: Memory) -> dict[str, Any]:
    rows = memory.resources.vector_index.rows(["unit_id", "vector"]).to_pylist()
    return {row["unit_id"]: np.array(row["vector"]) for row in rows}


def fields_of(memory: Memory, query: str) -> list[tuple[Any, ...]]:
    with memory.database.reading() as connection:
        return connection.execute(query).fetchall()


def test_a_model_with_prefixes_is_made_whole_and_then_in_force(home: Path, tiny: Path) -> None:
    before = opened(home)
    done = before.reembed(str(tiny), query_prefix="query: ", passage_prefix="passage: ")
    assert done.in_force and done.failed == 0 and done.written_to == str(home / "memory.toml")
    assert (done.from_version, done.drained.done) == ("hashing-256-1", units(before))
    assert done.to_version.startswith("tiny-multilingual-1-") and done.found.missing == units(before)
    # The file says so now, and everything else of it is as it was.
    text = (home / "memory.toml").read_text(encoding="utf-8")
    assert text == FILE.replace('model = "hashing"\nbatch_size = 8\n', f'model = "{tiny}"\nbatch_size = 8\n'
                                'query_prefix = "query: "\npassage_prefix = "passage: "\n')  # fmt: skip
    assert (home / "memory.toml").stat().st_mode & 0o777 == 0o640
    after = opened(home)
    assert after.settings.embedding.model == str(tiny) and after.settings.embedding.batch_size == 8
    assert versions(after) == {done.to_version: (True, units(after)), "hashing-256-1": (False, units(after))}
    rows = Resources(after.settings).vector_index.rows(["vector", "fingerprint"]).to_pylist()
    assert {len(row["vector"]) for row in rows} == {DIMENSIONS}
    assert {row["fingerprint"] for row in rows} == {Resources(after.settings).embedder.fingerprint}
    # Tables, marks and self-test follow.
    assert fields_of(after, "SELECT DISTINCT status FROM sessions") == [("vectorized",)]
    assert verify_all(after.resources, with_vectors=True).equal
    assert known_calibration(after.settings) == done.calibration
    assert {check.name for check in checks(after.resources) if not check.ok} <= {"quarantine"}


@pytest.mark.long
def test_prefixes_reach_the_model(home: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    encode = embedders.SentenceTransformersEmbedder._encode

    def listened(self: embedders.SentenceTransformersEmbedder, some: list[str], *how: Any) -> embedders.Vectors:
        texts.extend(some)
        return encode(self, some, *how)

    monkeypatch.setattr(embedders.SentenceTransformersEmbedder, "_encode", listened)
    opened(home).reembed(str(tiny), query_prefix="query: ", passage_prefix="passage: ")
    assert {text.split(": ")[0] for text in texts} == {"query", "passage"}
    texts.clear()
    Resources(opened(home).settings).embedder.embed_query("결제")
    assert texts == ["query: 결제"]


@pytest.mark.long
def test_vectors_in_eight_bits_are_what_embedding_again_gives(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not sums_whole_numbers():
        pytest.skip("this processor cuts sums of products of eight bits off")
    monkeypatch.setattr(eight_bit_choice, "_share_of_time", lambda one, other: 0.5)
    monkeypatch.setattr(embedders, "FEW_CHARACTERS", 0)
    assert opened(home).reembed("bundled").in_force
    of_many = vectors_of(opened(home))
    assert verify_all(opened(home).resources, with_vectors=True).equal
    exactly = opened(home, embedding={"model": "bundled", "eight_bits": False})
    assert verify_all(exactly.resources, with_vectors=True).equal
    rebuild_all(exactly.resources, with_vectors=True)
    assert {unit_id for unit_id, vector in vectors_of(exactly).items() if abs(vector - of_many[unit_id]).max() > 1e-3}
    # Both are right, whatever the settings say now.
    assert verify_all(exactly.resources, with_vectors=True).equal
    assert verify_all(opened(home).resources, with_vectors=True).equal


@pytest.mark.long
def test_going_back_embeds_only_what_is_new(home: Path, tiny: Path) -> None:
    first = opened(home).reembed(str(tiny))
    there = opened(home)
    tell(there.settings, "new", (("user", "캐시를 비운다. A new thing."),), ())
    write_waiting(there.resources)
    back = there.reembed("hashing")
    assert back.in_force and back.found.missing == back.drained.done == back.drained.embedded > 0
    again = opened(home).reembed(str(tiny))
    assert again.in_force and (again.drained.done, again.drained.embedded, again.found.same) == (0, 0, units(there))
    assert again.to_version == first.to_version
    assert verify_all(opened(home).resources, with_vectors=True).equal


def test_a_dry_run_changes_nothing_and_loads_no_model(home: Path, tmp_path: Path) -> None:
    memory = opened(home)
    done = memory.reembed("hub/some-model-that-is-not-here", dry_run=True)
    assert not done.in_force and done.found.missing == units(memory) and done.calibration is None
    assert (home / "memory.toml").read_text() == FILE
    assert versions(memory) == {"hashing-256-1": (True, units(memory))}


def test_a_model_that_cannot_be_loaded_leaves_everything_as_it_is(home: Path) -> None:
    memory = opened(home)
    with pytest.raises(EmbedderUnavailableError):
        memory.reembed("hub/some-model-that-is-not-here")
    assert (home / "memory.toml").read_text() == FILE
    assert versions(memory) == {"hashing-256-1": (True, units(memory))}
    with pytest.raises(InvalidArgumentError):
        memory.reembed("  ")


@pytest.mark.long
def test_what_is_interrupted_leaves_the_old_model_and_goes_on_later(
    home: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_assets.vectors import outbox

    memory = opened(home)
    drain, calls = outbox.drain, []

    def interrupted(*given: Any, **named: Any) -> Any:
        if calls:
            raise KeyboardInterrupt
        calls.append(1)
        return drain(*given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(outbox, "BATCH_SIZE", 4)
        patch.setattr(outbox, "drain", interrupted)
        with pytest.raises(KeyboardInterrupt):
            memory.reembed(str(tiny))
    assert (home / "memory.toml").read_text() == FILE
    assert {version: in_force for version, (in_force, _) in versions(memory).items()} == {
        "hashing-256-1": True,
        memory.reembed(str(tiny), dry_run=True).to_version: False,
    }
    # The old one serves, and nothing of the new one's queue is said to wait for it.
    assert outbox_status(memory.resources).current.pending == 0 and opened(home).search("Redis", mode="lexical").hits
    done = opened(home).reembed(str(tiny))
    assert done.in_force and done.found.same == 4 and done.drained.done == units(memory) - 4


@pytest.mark.long
def test_a_text_that_the_new_model_cannot_embed_is_somebodys_decision(
    home: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode = embedders.SentenceTransformersEmbedder._encode

    def choking(self: embedders.SentenceTransformersEmbedder, some: Sequence[str], *how: Any) -> embedders.Vectors:
        if any("retry budget" in text for text in some):
            raise ValueError("too strange")
        return encode(self, list(some), *how)

    monkeypatch.setattr(embedders.SentenceTransformersEmbedder, "_encode", choking)
    memory = opened(home)
    done = memory.reembed(str(tiny))
    assert not done.in_force and done.failed >= 1 and (home / "memory.toml").read_text() == FILE
    assert outbox_status(memory.resources).current.in_force and outbox_status(memory.resources).current.retrying == 0
    accepted = memory.reembed(str(tiny), accept_failed=True)
    assert accepted.in_force and accepted.failed == done.failed
    status = outbox_status(opened(home).resources)
    assert status.current.retrying == done.failed and all("too strange" in failure.error for failure in status.failures)


@pytest.mark.long
def test_what_the_environment_says_is_said_and_not_written_over(
    home: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
    done = opened(home).reembed(str(tiny), query_prefix="query: ")
    assert not done.in_force and done.to_set == (f"MEMORY_EMBEDDING_MODEL={tiny}",)
    assert (home / "memory.toml").read_text() == FILE
    monkeypatch.delenv("MEMORY_EMBEDDING_MODEL")
    flagged = opened(home, embedding={"model": "bundled"})
    assert stronger_than_the_file(flagged.settings, EmbeddingSettings(model=str(tiny))) == (f"--set embedding.model={tiny}",)
    # Set as it was told, everything is there already.
    monkeypatch.setenv("MEMORY_EMBEDDING_MODEL", str(tiny))
    monkeypatch.setenv("MEMORY_EMBEDDING_QUERY_PREFIX", "query: ")
    done = opened(home).reembed(str(tiny))
    assert done.in_force and done.drained.done == 0 and done.written_to is None
    assert (home / "memory.toml").read_text() == FILE


@pytest.mark.long
def test_other_models_tables_are_dropped_when_asked(home: Path, tiny: Path) -> None:
    opened(home).reembed(str(tiny))
    memory = opened(home)
    done = bring_in_line(memory.resources, drop_old=True)
    assert done.dropped == ("hashing-256-1",) and done.found.to_write == 0
    assert [one.in_force for one in outbox_status(memory.resources).versions] == [True]
    assert fields_of(memory, "SELECT count(*) FROM vector_outbox WHERE embedding_version = 'hashing-256-1'") == [(0,)]
    assert not list((home / "vectors").glob("vectors_hashing*"))


@pytest.mark.long
def test_nothing_that_was_forgotten_stays_in_a_former_table(home: Path, tiny: Path) -> None:
    opened(home).reembed(str(tiny))
    memory = opened(home)
    EventLog(memory.database).append([NewEvent(SessionForgotten(reason="asked"), session_id="shop-1", inputs=("1",))])
    left = opened(home)
    there = {row[0] for row in fields_of(left, "SELECT unit_id FROM memory_units")}
    for settings in (left.settings, load_settings({"home": home, "embedding": {"model": "hashing"}})):
        found = set(Resources(settings).vector_index.rows(["unit_id"])["unit_id"].to_pylist())
        assert found and found <= there


def told_of(instance: Any, asset: str) -> dict[str, Any]:
    """What the UI shows of an asset's last materialization."""
    import dagster as dg

    told = instance.get_latest_materialization_event(dg.AssetKey(asset))
    assert told is not None and told.asset_materialization is not None
    return {name: entry.value for name, entry in told.asset_materialization.metadata.items()}


@pytest.mark.long
def test_a_setting_changed_by_hand_needs_the_stage_and_the_leaf_behind_it(
    tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dagster as dg

    from memory_assets.defs import run

    instance = in_memory()
    monkeypatch.setattr(run, "dagster_instance", lambda settings: instance)
    home, inbox = tmp_path / "home", tmp_path / "inbox"
    home.mkdir()
    inbox.mkdir()
    (home / "memory.toml").write_text(FILE, encoding="utf-8")
    sessions = ["one", "two"]
    for number, name in enumerate(sessions):
        chat(inbox, name, talk(number, 4))
    run.import_paths(load_settings({"home": home}), [inbox], project=None)
    before = opened(home)
    assert fields_of(before, "SELECT DISTINCT status FROM sessions") == [("vectorized",)]

    (home / "memory.toml").write_text(FILE.replace('"hashing"', f'"{tiny}"'), encoding="utf-8")
    changed = opened(home)
    tags = {run.RANGE_START_TAG: "one", run.RANGE_END_TAG: "two"}
    materialize(changed.settings, instance, {dg.AssetKey("vectorized"), dg.AssetKey("vectors")}, tags)
    version = Resources(changed.settings).embedder.embedding_version
    assert fields_of(changed, "SELECT DISTINCT status FROM sessions") == [("vectorized",)]
    marks = EventLog(changed.database).current(sessions, "session_vectorized")
    assert {mark.stage_version for mark in marks.values()} == {version} and len(marks) == 2
    assert versions(changed) == {version: (True, units(changed)), "hashing-256-1": (False, units(before))}
    assert outbox_status(changed.resources).current.pending == 0 and known_calibration(changed.settings) is not None
    stage, leaf = (told_of(instance, name) for name in ("vectorized", "vectors"))
    assert stage["embedding_version"] == version and stage["units_searchable"] > 0 and stage["units_failed"] == 0
    assert (
        leaf["units_done"] == units(changed)
        and leaf["model"] == str(tiny)
        and leaf["vector_weight"] == leaf["korean_weight"] == 0
    )
    assert leaf["texts_per_second"] > 0 and len(leaf["fingerprint"]) == 12
    # It is what `reembed` would have logged, event for event.
    last = EventLog(changed.database).last_seq()
    assert changed.reembed(str(tiny)).in_force
    assert EventLog(changed.database).last_seq() == last
    assert verify_all(changed.resources, with_vectors=True).equal


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (None, '[embedding]\nmodel = "m"\nquery_prefix = "q: "\n'),
        ("", '[embedding]\nmodel = "m"\nquery_prefix = "q: "\n'),
        ('embedding.model = "x"  # why\n', 'embedding.model = "m"  # why\nembedding.query_prefix = "q: "\n'),
        ('embedding = {model = "x"}\n', 'embedding = {model = "m",query_prefix = "q: "}\n'),
        ("[store]\nlock_timeout_seconds = 2\n", None),
    ],
)
def test_any_form_of_the_file_is_written(tmp_path: Path, text: str | None, wanted: str | None) -> None:
    file = tmp_path / "memory.toml"
    if text is not None:
        file.write_text(text)
    settings = load_settings({"home": tmp_path})
    chosen = EmbeddingSettings(model="m", query_prefix="q: ")
    assert write_embedding(settings, chosen) == file
    written = load_settings({"home": tmp_path})
    assert written == settings.model_copy(update={"embedding": chosen})
    if wanted is not None:
        assert file.read_text() == wanted
    if text is None:
        assert file.stat().st_mode & 0o777 == 0o600


def test_a_template_is_filled_in_where_it_names_the_key(tmp_path: Path) -> None:
    memory = Memory(load_settings({"home": tmp_path, "embedding": {"model": "hashing"}}))
    initialise(memory.resources)
    write_embedding(memory.settings, EmbeddingSettings(model="m"))
    text = (tmp_path / "memory.toml").read_text()
    section = text.split("[embedding]")[1].split("[")[0]
    assert 'model = "m"' in section and "# batch_size = 32" in section


def test_prefixes_belong_to_their_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(home=tmp_path, embedding=EmbeddingSettings(model="a/b", query_prefix="q: ", batch_size=4))
    assert chosen_embedding(settings, "a/b").query_prefix == "q: "
    assert chosen_embedding(settings, "c/d") == EmbeddingSettings(model="c/d", batch_size=4)
    assert chosen_embedding(settings, "c/d", passage_prefix="p: ").passage_prefix == "p: "
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path)
    assert chosen_embedding(settings, "model").model == str(tmp_path / "model")


def test_a_folder_of_the_same_name_is_not_the_model_that_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(home=tmp_path, embedding=EmbeddingSettings(model="hashing"))
    monkeypatch.chdir(tmp_path)
    for name in ("bundled", "hashing"):
        (tmp_path / name).mkdir()
        assert chosen_embedding(settings, name).model == name
        assert chosen_embedding(settings, f"./{name}").model == str(tmp_path / name)
    assert chosen_embedding(settings, "~nobody-has-this-name/x").model == "~nobody-has-this-name/x"


@pytest.mark.long
def test_another_model_of_the_same_name_does_not_take_the_table_that_serves(home: Path, tiny: Path, tmp_path: Path) -> None:
    opened(home).reembed(str(tiny))
    memory = opened(home)
    copy = tmp_path / "elsewhere" / tiny.name
    shutil.copytree(tiny, copy)
    (copy / "another.json").write_text("{}")
    before = versions(memory), (home / "memory.toml").read_text()
    for dry_run in (True, False):
        with pytest.raises(InvalidArgumentError, match=tiny.name) as caught:
            memory.reembed(str(copy), dry_run=dry_run)
        assert "name" in caught.value.hint
    assert (versions(memory), (home / "memory.toml").read_text()) == before
    # The very same model in another place is the same.
    (copy / "another.json").unlink()
    moved = memory.reembed(str(copy))
    assert moved.in_force and moved.drained.done == 0
