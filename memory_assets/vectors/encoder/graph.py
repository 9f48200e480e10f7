"""An encoder of the BERT family as a graph of ONNX. It holds no weights: they stay in the model's own file.

Of standard operators alone, so that any version of ONNX Runtime of these years reads it. What goes in: ``input_ids`` and
``attention_mask``, a row a text, padded on the right. What comes out: ``vectors``, each of length one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_assets.vectors.encoder.model_files import EncoderFiles

GRAPH_VERSION = 1
"""Changes with the graph that is made of the same files."""

_OPERATORS, _FORMAT = 20, 9
# As sentence-transformers and PyTorch have them.
_LEAST_COUNT, _LEAST_LENGTH = 1e-9, 1e-12
_MASKED = -1e9
_LEAST_GELU = -0.17
# Numbers of types in the format.
_FLOAT, _INT64 = 1, 7


def graph_of(files: EncoderFiles) -> bytes:
    """The graph, serialized; some kilobytes."""
    return EncoderGraph(files).serialized()


class EncoderGraph:
    """Nodes as they come, each named by its number."""

    def __init__(self, files: EncoderFiles) -> None:
        self.files = files
        self.nodes: list[Any] = []
        self.initializers: dict[str, Any] = {}
        self._shape = self.node("Shape", "input_ids")
        self._by_text = self.node("Concat", self._shape, self.whole(files.dimensions), axis=0)
        self._mask = self.node("Cast", "attention_mask", to=_FLOAT)

    def serialized(self) -> bytes:
        """The whole encoder, from ids to vectors."""
        from onnx import helper

        self.named("vectors", self.normalized(self.pooled(self.encoded())))
        rows = [helper.make_tensor_value_info(name, _INT64, ["texts", "tokens"]) for name in ("input_ids", "attention_mask")]
        out = helper.make_tensor_value_info("vectors", _FLOAT, ["texts", self.files.dimensions])
        graph = helper.make_graph(self.nodes, "encoder", rows, [out], list(self.initializers.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPERATORS)], ir_version=_FORMAT)
        written: bytes = model.SerializeToString(deterministic=True)
        return written

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        output = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def named(self, name: str, value: str) -> None:
        from onnx import helper

        self.nodes.append(helper.make_node("Identity", [value], [name]))

    def whole(self, *values: int, scalar: bool = False) -> str:
        from onnx import helper

        name = f"int_{'_'.join(map(str, values))}{'_scalar' if scalar else ''}"
        shape = () if scalar else (len(values),)
        self.initializers[name] = helper.make_tensor(name, _INT64, shape, values)
        return name

    def real(self, value: float) -> str:
        from onnx import helper

        name = f"float_{value!r}"
        self.initializers[name] = helper.make_tensor(name, _FLOAT, (), [value])
        return name

    def weight(self, name: str) -> str:
        """A tensor of the model's file."""
        from onnx import TensorProto

        tensor = self.files.tensors[name]
        held = TensorProto(name=name, data_type=_FLOAT, dims=tensor.shape, data_location=TensorProto.EXTERNAL)
        place = {"location": self.files.weights.name, "offset": str(tensor.offset), "length": str(tensor.length)}
        for key, value in place.items():
            held.external_data.add(key=key, value=value)
        self.initializers[name] = held
        return name

    def linear(self, rows: str, name: str, *, least: float | None = None) -> str:
        """Rows times a layer's weight, and its bias.

        Args:
            least: no number of the rows is below it; None where they lie around zero.
        """
        return self.node("Gemm", rows, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), transB=1)

    def layer_norm(self, rows: str, name: str) -> str:
        weight, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", rows, weight, bias, axis=-1, epsilon=self.files.epsilon)

    def encoded(self) -> str:
        """The last hidden state: texts × tokens × dimensions. Between, all tokens of all texts are rows of one matrix."""
        files = self.files
        bias = self.node("Sub", self._mask, self.real(1.0))
        bias = self.node("Mul", self.node("Unsqueeze", bias, self.whole(1, 2)), self.real(-_MASKED))
        rows = self.node("Reshape", self._embedded(), self.whole(-1, files.dimensions))
        for number in range(files.layers):
            layer = f"encoder.layer.{number}"
            seen = self.linear(self._attended(rows, f"{layer}.attention.self", bias), f"{layer}.attention.output.dense")
            rows = self.layer_norm(self.node("Add", seen, rows), f"{layer}.attention.output.LayerNorm")
            inner = self.node("Gelu", self.linear(rows, f"{layer}.intermediate.dense"))
            told = self.linear(inner, f"{layer}.output.dense", least=_LEAST_GELU)
            rows = self.layer_norm(self.node("Add", told, rows), f"{layer}.output.LayerNorm")
        return self.node("Reshape", rows, self._by_text)

    def _embedded(self) -> str:
        words = self.node("Gather", self.weight("embeddings.word_embeddings.weight"), "input_ids")
        places = self.weight("embeddings.position_embeddings.weight")
        if self.files.position_padding is None:
            tokens = self.node("Slice", self._shape, self.whole(1), self.whole(2))
            places = self.node("Slice", places, self.whole(0), tokens, self.whole(0))
        else:
            padding = self.whole(self.files.position_padding, scalar=True)
            real = self.node("Cast", self.node("Not", self.node("Equal", "input_ids", padding)), to=_INT64)
            counted = self.node("Mul", self.node("CumSum", real, self.whole(1, scalar=True)), real)
            places = self.node("Gather", places, self.node("Add", counted, padding))
        kind = self.node("Gather", self.weight("embeddings.token_type_embeddings.weight"), self.whole(0, scalar=True))
        return self.layer_norm(self.node("Add", words, self.node("Add", places, kind)), "embeddings.LayerNorm")

    def _attended(self, rows: str, name: str, bias: str) -> str:
        heads, width = self.files.heads, self.files.dimensions // self.files.heads
        by_head = self.node("Concat", self._shape, self.whole(heads, width), axis=0)
        query, key, value = (
            self.node("Transpose", self.node("Reshape", self.linear(rows, f"{name}.{part}"), by_head), perm=order)
            for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
        )
        scores = self.node("Mul", self.node("MatMul", query, key), self.real(1.0 / math.sqrt(width)))
        shares = self.node("Softmax", self.node("Add", scores, bias), axis=-1)
        seen = self.node("Transpose", self.node("MatMul", shares, value), perm=[0, 2, 1, 3])
        return self.node("Reshape", seen, self.whole(-1, self.files.dimensions))

    def pooled(self, words: str) -> str:
        if self.files.pooling == "cls":
            return self.node("Gather", words, self.whole(0, scalar=True), axis=1)
        kept = self.node("Mul", words, self.node("Unsqueeze", self._mask, self.whole(2)))
        total = self.node("ReduceSum", kept, self.whole(1), keepdims=0)
        count = self.node("ReduceSum", self._mask, self.whole(1), keepdims=1)
        return self.node("Div", total, self.node("Max", count, self.real(_LEAST_COUNT)))

    def normalized(self, vectors: str) -> str:
        length = self.node("ReduceL2", vectors, self.whole(1), keepdims=1)
        return self.node("Div", vectors, self.node("Max", length, self.real(_LEAST_LENGTH)))
