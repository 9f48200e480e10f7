"""What the files of a sentence-transformers model say of it, as far as ONNX Runtime can run it.

Known are the encoders of the BERT family with absolute positions, pooled by their mean or their first token: what nearly all
small embedding models are. Whatever a file says that is not known here makes the model one for sentence-transformers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import file_digest
from pathlib import Path
from typing import Any, Literal

from memory_assets.identifiers import canonical_json, sha256_hex

# RoBERTa's kin count positions from behind the id of padding on.
_FROM_ZERO = frozenset({"bert"})
_FROM_PADDING = frozenset({"roberta", "xlm-roberta", "camembert"})
_READER = "sentence_bert_config.json"
# What these say is what everything here takes for granted.
_USUAL: Mapping[str, object] = {
    "do_lower_case": False,
    "transformer_task": "feature-extraction",
    "module_output_name": "token_embeddings",
    "modality_config": {"text": {"method": "forward", "method_output_name": "last_hidden_state"}},
}
_PROMPTS = "config_sentence_transformers.json"
_OPTIONAL = (_READER, _PROMPTS, "tokenizer_config.json")
# What a tokenizer may read beside them has a name of its kind's own: special_tokens_map.json, merges.txt, spiece.model.
_READ_BY_TOKENIZERS = (".json", ".txt", ".model", ".codes")
_MOST_HEADER_BYTES = 100_000_000


class _Unknown(Exception):
    """A file says something that is not known here; the message is for people."""


@dataclass(frozen=True, slots=True)
class NotRunnable:
    """Why ONNX Runtime does not run a model: one line for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where in the file of the weights a tensor of 32-bit floats lies, in bytes."""

    shape: tuple[int, ...]
    offset: int
    length: int


@dataclass(frozen=True)
class EncoderFiles:
    """An encoder of the BERT family, as its files say.

    Attributes:
        files: all that its vectors depend on.
        weights: the file of its tensors, no link.
        tensors: by their names without what some models have in front of them.
        position_padding: the id of padding where positions are counted from behind it on; None where from zero.
        max_tokens: of a text, with those that frame it; what is longer is cut.
    """

    folder: Path
    files: tuple[Path, ...]
    weights: Path
    tokenizer: Path
    tensors: Mapping[str, Tensor]
    layers: int
    heads: int
    dimensions: int
    epsilon: float
    pooling: Literal["mean", "cls"]
    padding_id: int
    position_padding: int | None
    max_tokens: int

    @cached_property
    def digest(self) -> str:
        """Hash of the names and contents of the files."""
        return sha256_hex(
            canonical_json(sorted([path.relative_to(self.folder).as_posix(), digest_of(path)] for path in self.files))
        )


def read_encoder(folder: Path) -> EncoderFiles | NotRunnable:
    """The encoder in a model's folder, or why it is none that is known here. Reads no weights."""
    try:
        return _read(folder)
    except _Unknown as error:
        return NotRunnable(str(error))
    except FileNotFoundError as error:
        return NotRunnable(f"it has no file {Path(error.filename).name}")
    except (OSError, ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError) as error:
        return NotRunnable(f"its files cannot be read ({type(error).__name__})")


def digest_of(path: Path) -> str:
    """Hash of a file's bytes; taken once as long as the file is not written.

    Raises:
        OSError: it cannot be read.
    """
    status = path.stat()
    return _digest(path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@lru_cache(maxsize=256)
def _digest(path: Path, *_: int) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _read(folder: Path) -> EncoderFiles:
    pooling_folder = _modules(folder)
    config, pooling = _json(folder / "config.json"), _json(pooling_folder / "config.json")
    reader, tokenizer, prompts = (_json(folder / name) for name in (_READER, "tokenizer_config.json", _PROMPTS))
    _check_options(folder, config, reader, tokenizer, prompts)
    kind = config["model_type"]
    padding = int(config["pad_token_id"])
    positions = int(config["max_position_embeddings"])
    usable = positions - (padding + 1 if kind in _FROM_PADDING else 0)
    most = int(reader.get("max_seq_length") or min(float(tokenizer.get("model_max_length") or math.inf), positions))
    if not 2 < most <= usable:
        raise _Unknown(f"it takes {most} tokens and has positions for {usable}")
    weights = (folder / "model.safetensors").resolve(strict=True)
    files = [folder / name for name in ("modules.json", "config.json", "model.safetensors", "tokenizer.json")]
    beside = (path for path in sorted(folder.iterdir()) if path.suffix in _READ_BY_TOKENIZERS and path.is_file())
    files += [path for path in beside if path not in files]
    if not (folder / "tokenizer.json").is_file():
        raise _Unknown("it has no file tokenizer.json")
    return EncoderFiles(
        folder=folder,
        files=(*files, pooling_folder / "config.json"),
        weights=weights,
        tokenizer=folder / "tokenizer.json",
        tensors=_tensors(weights, config),
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        dimensions=config["hidden_size"],
        epsilon=float(config["layer_norm_eps"]),
        pooling=_pooling(pooling),
        padding_id=padding,
        position_padding=padding if kind in _FROM_PADDING else None,
        max_tokens=most,
    )


def _json(path: Path) -> dict[str, Any]:
    """An object of a file; an empty one for a file that not every model has and this one has not."""
    if not path.exists() and path.name in _OPTIONAL:
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise _Unknown(f"its {path.name} holds no object")
    return found


def _modules(folder: Path) -> Path:
    """The folder of its pooling."""
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]) or modules[0]["path"]:
        raise _Unknown(f"it is made of {', '.join(kinds)[:200] or 'nothing'}")
    return folder / Path(modules[1]["path"]).name


def _check_options(
    folder: Path, config: Mapping[str, Any], reader: Mapping[str, Any], tokenizer: Mapping[str, Any], prompts: Mapping[str, Any]
) -> None:
    if config["model_type"] not in _FROM_ZERO | _FROM_PADDING:
        raise _Unknown(f"it is a {str(config['model_type'])[:60]}, and no encoder of the BERT family")
    if config["hidden_act"] != "gelu":
        raise _Unknown(f"its activation is {str(config['hidden_act'])[:60]}")
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise _Unknown("its positions are relative")
    odd = [name for name in ("is_decoder", "add_cross_attention", "quantization_config", "auto_map") if config.get(name)]
    odd += [name for name, value in reader.items() if name != "max_seq_length" and value and value != _USUAL.get(name)]
    odd += [name for name in ("padding_side", "truncation_side") if tokenizer.get(name, "right") != "right"]
    odd += [name for name in ("default_prompt_name", "truncate_dim") if prompts.get(name) is not None]
    odd += [path.name for path in sorted(folder.glob("sentence_*_config.json")) if path.name != _READER]
    odd += [name for name in ("adapter_config.json",) if (folder / name).exists()]
    if odd:
        raise _Unknown(f"its files set {', '.join(map(str, odd))[:200]}")


def _pooling(config: Mapping[str, Any]) -> Literal["mean", "cls"]:
    mode = config.get("pooling_mode")
    if mode is None:
        # As older versions of sentence-transformers wrote it.
        names = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
        on = [name for name, value in config.items() if name.startswith("pooling_mode_") and value]
        mode = names.get(on[0]) if len(on) == 1 else on
    if mode == "mean":
        return "mean"
    if mode == "cls":
        return "cls"
    raise _Unknown(f"its pooling is {str(mode)[:100]}")


def _tensors(weights: Path, config: Mapping[str, Any]) -> dict[str, Tensor]:
    with weights.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > _MOST_HEADER_BYTES:
            raise _Unknown("its weights are no safetensors")
        header = json.loads(file.read(size))
        end = file.seek(0, 2)
    ending = "embeddings.word_embeddings.weight"
    (prefix,) = [name.removesuffix(ending) for name in header if name.endswith(ending)]
    found: dict[str, Tensor] = {}
    for name, shape in _expected(config):
        told = header.get(prefix + name)
        if told is None:
            raise _Unknown(f"its weights have no {name}")
        if told["dtype"] != "F32":
            raise _Unknown(f"its weights are {str(told['dtype'])[:20]} and no 32-bit floats")
        first, last = told["data_offsets"]
        if tuple(told["shape"]) != shape or last - first != 4 * math.prod(shape) or not 0 <= first <= last <= end - 8 - size:
            raise _Unknown(f"its weights do not hold {name} as its configuration says")
        found[name] = Tensor(shape, 8 + size + first, last - first)
    return found


def _expected(config: Mapping[str, Any]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and shapes of the tensors of such an encoder."""
    width, inner = config["hidden_size"], config["intermediate_size"]
    if width % config["num_attention_heads"]:
        raise _Unknown("its width is no multiple of its heads")
    yield "embeddings.word_embeddings.weight", (config["vocab_size"], width)
    yield "embeddings.position_embeddings.weight", (config["max_position_embeddings"], width)
    yield "embeddings.token_type_embeddings.weight", (config["type_vocab_size"], width)
    norms = ["embeddings.LayerNorm"]
    linears: dict[str, tuple[int, ...]] = {}
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        linears |= {f"{layer}.attention.self.{part}": (width, width) for part in ("query", "key", "value")}
        linears |= {f"{layer}.attention.output.dense": (width, width)}
        linears |= {f"{layer}.intermediate.dense": (inner, width), f"{layer}.output.dense": (width, inner)}
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name, shape in {**linears, **dict.fromkeys(norms, (width,))}.items():
        yield f"{name}.weight", shape
        yield f"{name}.bias", shape[:1]
