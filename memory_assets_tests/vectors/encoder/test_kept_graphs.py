"""What is kept of a model: whole or not at all, and of no use to another model."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from memory_assets.vectors.embedder import EmbedderSettings, SentenceTransformersEmbedder
from memory_assets.vectors.encoder.kept_graphs import Kept, KeptGraphs
from memory_assets.vectors.encoder.runtimes import OnnxRuntime, SentenceTransformersRuntime
from memory_assets_tests.tiny_model import save_tiny_model

KEY = "a" * 64
TEXTS = ["배포가 실패했다", "a cache", ""]


@pytest.mark.parametrize("kept", [Kept(b"a graph"), Kept(b"", "it is something else")])
def test_what_is_written_is_read(kept: Kept, tmp_path: Path) -> None:
    graphs = KeptGraphs(tmp_path / "new" / "folder")
    assert graphs.read(KEY) is None and graphs.write(KEY, kept) and graphs.read(KEY) == kept
    assert graphs.read("b" * 64) is None and not list(tmp_path.rglob("*.part"))


def test_a_file_under_another_name_is_none(tmp_path: Path) -> None:
    graphs = KeptGraphs(tmp_path)
    graphs.write(KEY, Kept(b"a graph"))
    shutil.copy(tmp_path / f"{KEY}.kept", tmp_path / f"{'b' * 64}.kept")
    assert graphs.read("b" * 64) is None


def test_every_byte_of_a_file_counts(tmp_path: Path) -> None:
    graphs, file = KeptGraphs(tmp_path), tmp_path / f"{KEY}.kept"
    graphs.write(KEY, Kept(b"a graph of some bytes"))
    whole = file.read_bytes()
    for place in range(len(whole)):
        for changed in (whole[:place], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]):
            file.write_bytes(changed)
            assert graphs.read(KEY) in (None, Kept(b"a graph of some bytes")), changed
            # Only white space between values may differ.
            assert graphs.read(KEY) is None or json.loads(changed.split(b"\n")[0]) == json.loads(whole.split(b"\n")[0]), changed


@pytest.mark.parametrize("kept", [Kept(b""), Kept(b"a graph", "and a reason")])
def test_a_graph_or_a_reason(kept: Kept, tmp_path: Path) -> None:
    graphs = KeptGraphs(tmp_path)
    graphs.write(KEY, kept)
    assert graphs.read(KEY) is None


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / f"{KEY}.kept").mkdir()  # nothing can be renamed into its place
    assert not KeptGraphs(tmp_path).write(KEY, Kept(b"a graph"))
    assert [path.name for path in tmp_path.iterdir()] == [f"{KEY}.kept"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


def embedder(model: Path, cache: Path) -> SentenceTransformersEmbedder:
    return SentenceTransformersEmbedder(EmbedderSettings(model=str(model)), cache_folder=cache)


@pytest.mark.parametrize("damage", ["cut", "empty", "garbage", "another graph"])
def test_a_damaged_file_is_made_again(damage: str, tiny: Path, tmp_path: Path) -> None:
    first = embedder(tiny, tmp_path)
    expected = first.embed_documents(TEXTS)
    (file,) = (tmp_path / "encoders").glob("*.kept")
    whole = file.read_bytes()
    file.write_bytes(
        {
            "cut": whole[: len(whole) // 2],
            "empty": b"",
            "garbage": bytes(range(256)),
            "another graph": whole.replace(b"Gelu", b"Relu"),
        }[damage]
    )
    again = embedder(tiny, tmp_path)
    assert np.array_equal(again.embed_documents(TEXTS), expected)
    assert isinstance(again.loaded(), OnnxRuntime) and file.read_bytes() == whole


def test_where_nothing_can_be_kept_sentence_transformers_runs_the_model(tiny: Path, tmp_path: Path) -> None:
    # A file where the folder would be: not even the superuser can write there.
    (tmp_path / "encoders").write_text("")
    one = embedder(tiny, tmp_path)
    vectors = one.embed_documents(TEXTS)
    assert isinstance(one.loaded(), SentenceTransformersRuntime)
    assert np.allclose(vectors, embedder(tiny, tmp_path / "other").embed_documents(TEXTS), atol=1e-5)
    # The bundled model has a graph all the same: it is made of its files each time.
    bundled = SentenceTransformersEmbedder(cache_folder=tmp_path)
    assert bundled.embed_query("why").shape == (384,) and isinstance(bundled.loaded(), OnnxRuntime)


def test_a_graph_that_the_runtime_refuses_leaves_the_model_to_the_other(tiny: Path, tmp_path: Path) -> None:
    embedder(tiny, tmp_path).embed_query("x")
    (file,) = (tmp_path / "encoders").glob("*.kept")
    # As a later version of ONNX Runtime might: what is kept is whole, and cannot be run.
    KeptGraphs(tmp_path / "encoders").write(file.stem, Kept(b"a graph of another time"))
    one = embedder(tiny, tmp_path)
    assert np.allclose(one.embed_documents(TEXTS), embedder(tiny, tmp_path / "other").embed_documents(TEXTS), atol=1e-5)
    assert isinstance(one.loaded(), SentenceTransformersRuntime)
