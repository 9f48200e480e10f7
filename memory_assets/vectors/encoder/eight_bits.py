"""The same encoder with the weights of its layers in eight bits: a text costs half, and its vector lies beside the exact one.

Each token's row is cut into 255 steps of its own, each column of a weight into 254: so a vector depends on its own text alone,
and not on what else is embedded in the same pass. Attention, norms and the table of words stay as they are. The steps are
multiplied as whole numbers, for which processors have instructions since 2019; older ones may cut sums off, which whoever loads
the graph finds out by comparing vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.vectors.encoder.graph import EncoderGraph

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from memory_assets.vectors.encoder.model_files import EncoderFiles

EIGHT_BITS_VERSION = 1
"""Changes with the graph that is made of the same files."""

# Rows around zero have their zero in the middle; half a step more, for what is cast is cut off.
_MIDDLE, _STEPS, _STEPS_FROM_LEAST, _HALF = 128, 127.0, 255.0, 0.5
_LEAST_WIDTH = 1e-9
_UINT8, _FLOAT = 2, 1


def graph_in_eight_bits(files: EncoderFiles) -> bytes:
    """The graph, serialized. It holds the weights of its layers, a byte a number; reads them of the model's file.

    Raises:
        OSError: the file cannot be read.
    """
    return _EightBitGraph(files).serialized()


class _EightBitGraph(EncoderGraph):
    def __init__(self, files: EncoderFiles) -> None:
        super().__init__(files)
        self._steps_of: dict[tuple[str, float | None], tuple[str, str]] = {}

    def linear(self, rows: str, name: str, *, least: float | None = None) -> str:
        steps, step = self._in_steps(rows, least)
        weight, bias = self._read(f"{name}.weight").T, self._read(f"{name}.bias")
        columns = abs(weight).max(axis=0).clip(min=_LEAST_WIDTH) / _STEPS
        if least is not None:
            bias = bias + least * weight.sum(axis=0)
        whole = self._array(f"{name}.steps", (weight / columns).round().astype("int8"))
        middle = [] if least is not None else [self._middle()]
        product = self.node("Cast", self.node("MatMulInteger", steps, whole, *middle), to=_FLOAT)
        by_column = self.node("Mul", product, self._array(f"{name}.step", columns))
        return self.node("Add", self.node("Mul", by_column, step), self._array(f"{name}.offset", bias.astype("float32")))

    def _in_steps(self, rows: str, least: float | None) -> tuple[str, str]:
        """Rows as whole numbers, and by row the width of a step."""
        if (rows, least) not in self._steps_of:
            counted = rows if least is None else self.node("Sub", rows, self.real(least))
            wide = self.node("Abs", rows) if least is None else counted
            most, shift = (_STEPS, _MIDDLE + _HALF) if least is None else (_STEPS_FROM_LEAST, _HALF)
            widest = self.node("Max", self.node("ReduceMax", wide, self.whole(1), keepdims=1), self.real(_LEAST_WIDTH))
            scaled = self.node("Mul", counted, self.node("Div", self.real(most), widest))
            steps = self.node("Cast", self.node("Add", scaled, self.real(shift)), to=_UINT8)
            self._steps_of[rows, least] = (steps, self.node("Div", widest, self.real(most)))
        return self._steps_of[rows, least]

    def _middle(self) -> str:
        from onnx import helper

        self.initializers["middle"] = helper.make_tensor("middle", _UINT8, (), [_MIDDLE])
        return "middle"

    def _array(self, name: str, values: NDArray) -> str:  # type: ignore[type-arg]
        from onnx import numpy_helper

        self.initializers[name] = numpy_helper.from_array(values, name)
        return name

    def _read(self, name: str) -> NDArray[float32]:
        import numpy as np

        tensor = self.files.tensors[name]
        with self.files.weights.open("rb") as file:
            file.seek(tensor.offset)
            return np.frombuffer(file.read(tensor.length), dtype="<f4").reshape(tensor.shape)
