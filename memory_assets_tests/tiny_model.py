"""A sentence-transformers model of a few kilobytes with random weights, saved to a folder: real in everything but sense."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

DIMENSIONS = 16
HANGUL = "가나다라마바사아자차카타파하로그배포블커결제서버캐시를은는이가에서"


def save_tiny_model(
    folder: Path,
    *,
    seed: int = 0,
    pooling: str = "mean",
    family: str = "bert",
    activation: str = "gelu",
    modules_behind: Sequence[str] = (),
    weights: str = "float32",
) -> Path:
    """Make a model under ``folder`` that reads characters, Hangul too; another seed gives another model.

    Args:
        family: ``bert`` or ``xlm-roberta``.
        modules_behind: ``Normalize`` and ``Dense``, behind the pooling.
        weights: their type.
    """
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast, XLMRobertaConfig, XLMRobertaModel

    torch.manual_seed(seed)
    parts = folder.parent / f"{folder.name}-parts"
    parts.mkdir(parents=True)
    characters = [chr(code) for code in (*range(33, 127), *map(ord, HANGUL))]
    words = list(
        dict.fromkeys(
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *(f"##{character}" for character in characters)]
        )
    )
    (parts / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    config_of, model_of = {"bert": (BertConfig, BertModel), "xlm-roberta": (XLMRobertaConfig, XLMRobertaModel)}[family]
    config = config_of(
        vocab_size=len(words),
        hidden_size=DIMENSIONS,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=130,
        hidden_act=activation,
        pad_token_id=0,
    )
    model_of(config).to(getattr(torch, weights)).save_pretrained(parts)
    BertTokenizerFast(vocab=str(parts / "vocab.txt"), model_max_length=128).save_pretrained(parts)
    reader = Transformer(str(parts), max_seq_length=128)
    behind = [{"Normalize": Normalize, "Dense": lambda: Dense(DIMENSIONS, DIMENSIONS)}[name]() for name in modules_behind]
    SentenceTransformer(modules=[reader, Pooling(DIMENSIONS, pooling), *behind], device="cpu").save(str(folder))
    return folder
