"""Who runs a model: what ONNX Runtime gives is what sentence-transformers gives, whatever model and whatever text."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.vectors.embedder import (
    BUNDLED_MODEL,
    EmbedderSettings,
    SentenceTransformersEmbedder,
    local_folder,
    make_embedder,
)
from memory_assets.vectors.embedder import _model_folder as folder_of
from memory_assets.vectors.encoder.choice import COMPARED, choose, disagreement, key_of
from memory_assets.vectors.encoder.kept_graphs import KeptGraphs
from memory_assets.vectors.encoder.model_files import EncoderFiles, NotRunnable, read_encoder
from memory_assets.vectors.encoder.opening import PROBES
from memory_assets.vectors.encoder.runtimes import OnnxRuntime, SentenceTransformersRuntime
from memory_assets.vectors.errors import EmbedderUnavailableError
from memory_assets_tests.tiny_model import save_tiny_model

pytestmark = pytest.mark.long

TEXTS = (
    *PROBES,
    "Which database did we settle on?",
    "x",
    "\n\t  ",
    "로그",
    "오늘 배포는 왜 실패했나요? 롤백하기로 했습니다. " * 60,
    "SELECT count(*) FROM events WHERE type = 'session_projected' -- how many?",
    "한국어와 English를 섞어서 CI 파이프라인을 고친다",
    "👩‍👩‍👧‍👦 🇰🇷 👍🏽",
    "[PAD] [CLS] [UNK] <pad>",
    "\x00\x07\ufffd",
    "word " * 5_000,
)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def bundled() -> Iterator[tuple[OnnxRuntime, SentenceTransformersRuntime]]:
    folder = folder_of(BUNDLED_MODEL)
    assert folder
    chosen = choose(folder, KeptGraphs(None), lambda: pytest.fail("the bundled model needs no comparing"))
    assert isinstance(chosen, OnnxRuntime), chosen
    yield chosen, SentenceTransformersRuntime(BUNDLED_MODEL, folder, download=False)


def of(folder: Path) -> SentenceTransformersRuntime:
    return SentenceTransformersRuntime("tiny", folder, download=False)


def not_asked() -> SentenceTransformersRuntime:
    pytest.fail("sentence-transformers was loaded")


def test_the_bundled_model_is_the_one_that_is_compared_here(
    bundled: tuple[OnnxRuntime, SentenceTransformersRuntime],
) -> None:
    files = read_encoder(folder_of(BUNDLED_MODEL))  # type: ignore[arg-type]
    assert isinstance(files, EncoderFiles) and {files.digest} == COMPARED
    onnx, torch = (one.encode(TEXTS, 8) for one in bundled)
    assert onnx.shape == torch.shape == (len(TEXTS), 384) and onnx.dtype == torch.dtype == np.float32
    assert (onnx * torch).sum(axis=1).min() >= 0.9999
    assert np.allclose(onnx, torch, atol=1e-5) and np.allclose(np.linalg.norm(onnx, axis=1), 1.0, atol=1e-5)


def test_a_vector_does_not_depend_on_its_neighbours(bundled: tuple[OnnxRuntime, SentenceTransformersRuntime]) -> None:
    onnx, _ = bundled
    alone = np.concatenate([onnx.encode([text], 1) for text in TEXTS])
    assert np.allclose(onnx.encode(TEXTS, 32), alone, atol=1e-5)
    assert np.allclose(onnx.encode(TEXTS[::-1], 3)[::-1], alone, atol=1e-5)


@pytest.mark.parametrize("family", ["bert", "xlm-roberta"])
@pytest.mark.parametrize(("pooling", "behind"), [("mean", ()), ("mean", ("Normalize",)), ("cls", ("Normalize",))])
def test_models_of_a_kind_that_is_known(family: str, pooling: str, behind: tuple[str, ...], tmp_path: Path) -> None:
    folder = save_tiny_model(tmp_path / "tiny", family=family, pooling=pooling, modules_behind=behind, seed=5)
    kept, reference = KeptGraphs(tmp_path / "kept"), of(folder)
    chosen = choose(folder, kept, lambda: reference)
    assert isinstance(chosen, OnnxRuntime), chosen
    expected = reference.encode(TEXTS, 4)
    assert np.allclose(chosen.encode(TEXTS, 4), expected, atol=1e-5)
    # Texts differ, or this would say nothing.
    assert np.abs(expected[2] - expected[3]).max() > 1e-4
    again = choose(folder, kept, not_asked)
    assert isinstance(again, OnnxRuntime) and np.array_equal(again.encode(TEXTS, 4), chosen.encode(TEXTS, 4))


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ({"pooling": "max"}, "its pooling is max"),
        ({"activation": "relu"}, "its activation is relu"),
        ({"modules_behind": ("Dense",)}, "Transformer, Pooling, Dense"),
        ({"weights": "float16"}, "its weights are F16"),
    ],
)
def test_what_is_not_known_is_left_to_sentence_transformers(made: dict[str, object], reason: str, tmp_path: Path) -> None:
    folder = save_tiny_model(tmp_path / "tiny", **made)  # type: ignore[arg-type]
    embedder = SentenceTransformersEmbedder(EmbedderSettings(model=str(folder)), cache_folder=tmp_path / "cache")
    assert reason in (embedder.run_by() or "")
    assert isinstance(embedder.loaded(), SentenceTransformersRuntime)
    assert np.allclose(embedder.embed_documents(["배포", "a b"]), of(folder).encode(["배포", "a b"], 2), atol=1e-3)


def changed(folder: Path, name: str, **values: object) -> None:
    told = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps(told | values))


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("config.json", {"model_type": "mpnet"}, "mpnet"),
        ("config.json", {"position_embedding_type": "relative_key"}, "relative"),
        ("config.json", {"is_decoder": True}, "is_decoder"),
        ("config.json", {"auto_map": {"AutoModel": "x.Y"}}, "auto_map"),
        ("config.json", {"num_hidden_layers": 2}, "have no encoder.layer.1"),
        ("config.json", {"vocab_size": 7}, "word_embeddings"),
        ("config.json", {"hidden_size": "wide"}, "cannot be read"),
        ("config.json", {"pad_token_id": None}, "cannot be read"),
        ("config.json", {"num_attention_heads": 0}, "cannot be read"),
        ("sentence_bert_config.json", {"max_seq_length": float("inf")}, "cannot be read"),
        ("tokenizer_config.json", {"padding_side": "left"}, "padding_side"),
        ("tokenizer_config.json", {"model_max_length": 1}, "it takes 1 tokens"),
        ("sentence_bert_config.json", {"max_seq_length": 9999}, "positions for 130"),
        ("sentence_bert_config.json", {"do_lower_case": True}, "do_lower_case"),
        ("config_sentence_transformers.json", {"default_prompt_name": "query"}, "default_prompt_name"),
    ],
)
def test_what_a_file_says_beyond_that_is_a_reason(
    name: str, values: dict[str, object], reason: str, tiny: Path, tmp_path: Path
) -> None:
    folder = copied(tiny, tmp_path)
    changed(folder, name, **values)
    found = read_encoder(folder)
    assert isinstance(found, NotRunnable) and reason in found.reason


@pytest.mark.parametrize(
    "name", ["modules.json", "config.json", "tokenizer.json", "model.safetensors", "1_Pooling/config.json"]
)
@pytest.mark.parametrize("left", [None, b"", b"\xff\x00{", b"[]", 1000])
def test_a_model_that_is_half_there_is_no_traceback(name: str, left: bytes | int | None, tiny: Path, tmp_path: Path) -> None:
    folder = copied(tiny, tmp_path)
    file = folder / name
    if left is None:
        file.unlink()
    else:
        whole = file.read_bytes()
        file.write_bytes(left if isinstance(left, bytes) else whole[: min(left, len(whole) - 20)])
    embedder = SentenceTransformersEmbedder(EmbedderSettings(model=str(folder)), cache_folder=tmp_path / "cache")
    assert (embedder.run_by() or "").startswith(("run by sentence-transformers: ", "compared with"))
    try:
        vector = embedder.embed_query("배포")
    except EmbedderUnavailableError as error:
        assert str(folder) in str(error)
    else:
        assert isinstance(embedder.loaded(), SentenceTransformersRuntime) and np.isfinite(vector).all()


def test_another_model_in_the_same_folder_is_another_graph(tiny: Path, tmp_path: Path) -> None:
    folder, kept = copied(tiny, tmp_path), KeptGraphs(tmp_path / "kept")
    assert isinstance(choose(folder, kept, lambda: of(folder)), OnnxRuntime)
    other = save_tiny_model(tmp_path / "other", seed=9)
    (folder / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())
    asked: list[int] = []
    chosen = choose(folder, kept, lambda: asked.append(1) or of(folder))  # type: ignore[func-returns-value]
    assert asked == [1] and isinstance(chosen, OnnxRuntime)
    assert np.allclose(chosen.encode(["배포"], 1), of(other).encode(["배포"], 1), atol=1e-5)
    assert len(list((tmp_path / "kept").glob("*.kept"))) == 2


@pytest.mark.parametrize(
    "name",
    ["special_tokens_map.json", "added_tokens.json", "vocab.txt", "vocab.json", "merges.txt", "sentencepiece.bpe.model"],
)
def test_another_tokenizer_in_the_same_folder_is_another_graph(name: str, tiny: Path, tmp_path: Path) -> None:
    """What sentence-transformers makes of a text may hang on each of these: what was compared is the model with them."""
    folder = copied(tiny, tmp_path)
    keys = set()
    for contents in (None, "{}", '{"[NEW]": 7}'):
        if contents is None:
            (folder / name).unlink(missing_ok=True)
        else:
            (folder / name).write_text(contents)
        files = read_encoder(folder)
        assert isinstance(files, EncoderFiles), files
        keys.add(key_of(files))
    assert len(keys) == 3


def test_a_model_whose_vectors_differ_is_never_run_by_onnx(tiny: Path, tmp_path: Path) -> None:
    folder, kept = copied(tiny, tmp_path), KeptGraphs(tmp_path / "kept")
    # What is read is not what sentence-transformers was loaded from: as if the graph were wrong for it.
    reference = of(save_tiny_model(tmp_path / "other", seed=9))
    chosen = choose(folder, kept, lambda: reference)
    assert isinstance(chosen, NotRunnable) and "not those of sentence-transformers" in chosen.reason
    # Nor is it compared again.
    assert choose(folder, kept, not_asked) == chosen
    embedder = SentenceTransformersEmbedder(EmbedderSettings(model=str(folder)))
    embedder._kept = kept
    assert isinstance(embedder.loaded(), SentenceTransformersRuntime) and "not those of" in (embedder.run_by() or "")


def test_runtimes_of_different_lengths_or_of_no_numbers_disagree(tiny: Path) -> None:
    class Nowhere(SentenceTransformersRuntime):
        def encode(self, texts, batch_size):  # type: ignore[no-untyped-def]
            return np.full_like(super().encode(texts, batch_size), np.nan)

    reference = of(tiny)
    assert disagreement(reference, reference) is None
    assert "differ by nan" in (disagreement(reference, Nowhere("tiny", tiny, download=False)) or "")
    bundled = SentenceTransformersEmbedder().loaded()
    assert "16 long" in (disagreement(reference, bundled) or "") and "and those" in (disagreement(bundled, reference) or "")


@pytest.fixture(scope="module")
def both(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[OnnxRuntime, SentenceTransformersRuntime]:
    reference = of(tiny)
    chosen = choose(tiny, KeptGraphs(tmp_path_factory.mktemp("kept")), lambda: reference)
    assert isinstance(chosen, OnnxRuntime)
    return chosen, reference


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=300), min_size=1, max_size=6))
def test_any_text(both: tuple[OnnxRuntime, SentenceTransformersRuntime], texts: list[str]) -> None:
    onnx, torch = (one.encode(texts, 2) for one in both)
    assert np.allclose(onnx, torch, atol=1e-5)


def copied(model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(model, tmp_path / "model"))


ASKED = "왜 배포가 실패했지?"
LOADED = f"""
import sys
from pathlib import Path
from memory_assets.vectors.embedder import EmbedderSettings, make_embedder
embedder = make_embedder(EmbedderSettings(model=sys.argv[1]), cache_folder=Path(sys.argv[2]))
vector = embedder.embed_query("{ASKED}")
hub = sys.modules.get("huggingface_hub.constants")
assert hub is None or hub.HF_HUB_OFFLINE
print("torch" in sys.modules, "onnx" in sys.modules, vector.astype(float).round(4).tolist())
"""


def started(model: Path | str, cache: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", LOADED, str(model), str(cache)]
    environment = {name: value for name, value in os.environ.items() if "OFFLINE" not in name}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def told(process: subprocess.Popen[str]) -> tuple[bool, bool, str]:
    out, _ = process.communicate(timeout=240)
    assert process.returncode == 0
    torch, onnx, vector = out.strip().splitlines()[-1].split(" ", 2)
    return torch == "True", onnx == "True", vector


def test_pytorch_is_imported_by_whoever_compares_and_by_nobody_else(tiny: Path, tmp_path: Path) -> None:
    # Two that begin at once: one of them compares, the other waits for it.
    together = [told(one) for one in [started(tiny, tmp_path), started(tiny, tmp_path)]]
    assert sorted(torch for torch, _, _ in together) == [False, True]
    later = told(started(tiny, tmp_path))
    assert later[:2] == (False, False) and {vector for _, _, vector in (*together, later)} == {later[2]}


def test_the_bundled_model_needs_no_pytorch_at_all(tmp_path: Path) -> None:
    first, second = told(started(BUNDLED_MODEL, tmp_path)), told(started(BUNDLED_MODEL, tmp_path))
    # The graph is made once.
    assert first[:2] == (False, True) and second == (False, False, first[2])


def test_a_hubs_model_in_the_cache_is_run_from_there(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the hub's library lays it: files are links to others that are named by their contents."""
    revision, model = "0123456789abcdef0123456789abcdef01234567", tmp_path / "hub" / "models--someone--tiny"
    snapshot = model / "snapshots" / revision
    (model / "refs").mkdir(parents=True)
    (model / "blobs").mkdir()
    (model / "refs" / "main").write_text(revision)
    for number, file in enumerate(path for path in sorted(tiny.rglob("*")) if path.is_file()):
        blob = model / "blobs" / f"{number:040x}"
        blob.write_bytes(file.read_bytes())
        link = snapshot / file.relative_to(tiny)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(blob)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    first, second = told(started("someone/tiny", tmp_path / "cache")), told(started("someone/tiny", tmp_path / "cache"))
    here = make_embedder(EmbedderSettings(model=str(tiny)), cache_folder=tmp_path / "cache").embed_query(ASKED)
    assert (first[0], second[0]) == (True, False)
    assert first[2] == second[2] == str(here.astype(float).round(4).tolist())
    assert local_folder("someone/tiny") is None
