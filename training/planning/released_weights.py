"""Read the weights of an exported plan model back, to train it further.

The export keeps int8 weights with a scale per output channel. The matrix of a linear layer has lost its name there, but
the bias that is added to its product has not.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

from services.retriever.encoder.encoder import ENCODER_FILE
from services.retriever.plans.predictor.model import READER_FILE, TABLES_FILE, WRITER_FILE

_PREFIXES = {ENCODER_FILE: ("", "encoder."), READER_FILE: ("network.", ""), WRITER_FILE: ("network.", "")}
_TABLES = {
    "action": "action.weight", "group": "group.weight", "position": "position.weight", "variable": "variable.weight",
    "element_weight": "element.weight", "element_bias": "element.bias", "element_type": "element_type.weight",
}  # fmt: skip


def released_weights(folder: Path) -> dict[str, Tensor]:
    """Return the parameters of `PlanNetwork` that a model folder holds, by name; int8 weights are rounded."""
    found: dict[str, Tensor] = {}
    for file, (old, new) in _PREFIXES.items():
        for name, array in _parameters(onnx.load(str(folder / file)).graph):
            found[f"{new}{name.removeprefix(old)}"] = torch.from_numpy(np.array(array))
    with np.load(folder / TABLES_FILE) as tables:
        found |= {_TABLES[name]: torch.from_numpy(tables[name]) for name in tables.files}
    return found


def _parameters(graph: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parameters of a graph by name."""
    arrays = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    for name, array in arrays.items():
        if name.endswith("_quantized"):
            whole = name.removesuffix("_quantized")
            if whole.endswith(".weight"):
                yield whole, _transposed_if_linear(whole, _exact(arrays, whole), arrays)
        elif not name.startswith("onnx::") and not name.endswith(("_scale", "_zero_point")):
            yield name, array
    producers = {output: node for node in graph.node for output in node.output}
    for node in graph.node:
        bias = next((name for name in node.input if name.endswith(".bias") and name in arrays), None)
        if node.op_type == "Add" and bias is not None:
            other = next(name for name in node.input if name != bias)
            matrix = _matrix(producers, other)
            if matrix is not None and matrix.startswith("onnx::"):
                yield f"{bias.removesuffix('.bias')}.weight", _exact(arrays, matrix).T


def _matrix(producers: dict[str, Any], name: str) -> str | None:
    """Follow a product back to the name of its int8 matrix."""
    for _ in range(6):
        node = producers.get(name)
        if node is None:
            return None
        if node.op_type == "MatMulInteger":
            return str(node.input[1]).removesuffix("_quantized")
        name = node.input[0]
    return None


def _exact(arrays: dict[str, Any], name: str) -> Any:
    """Return the values that int8 numbers stand for."""
    scale, zero = arrays[f"{name}_scale"], arrays[f"{name}_zero_point"]
    return ((arrays[f"{name}_quantized"].astype(np.float32) - zero.astype(np.float32)) * scale).astype(np.float32)


def _transposed_if_linear(name: str, array: Any, arrays: dict[str, Any]) -> Any:
    """Turn the matrix of a linear layer round, which a graph stores as inputs x outputs; embeddings stay."""
    return array.T if f"{name.removesuffix('.weight')}.bias" in arrays else array
