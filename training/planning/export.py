"""Export the plan network as the files that serving reads."""

import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from services.retriever.encoder.encoder import ENCODER_FILE, TOKENIZER_FILE
from services.retriever.plans.predictor.model import READER_FILE, TABLES_FILE, WRITER_FILE
from training.planning.network import DECODER_LAYERS, HEADS, JOINT_LAYERS, SIZE, PlanNetwork
from training.retriever.export import _quantize, export_encoder


class Reader(nn.Module):  # type: ignore[misc]
    """Run the joint layers, and prepare what the writer attends to."""

    def __init__(self, network: PlanNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, tokens: Tensor, elements: Tensor, spans: Tensor, forms: Tensor, links: Tensor
    ) -> tuple[Tensor, ...]:
        """Return the memory, its pointed vectors, and the keys and values of each decoder layer."""
        net = self.network
        vectors = net.token(tokens)
        values = spans @ vectors + net.form(forms)
        hidden = net.input_norm(torch.cat([vectors, elements, values], dim=1))
        biases = net.links(links).permute(0, 3, 1, 2)
        for layer, bias in zip(net.joint, biases.chunk(JOINT_LAYERS, dim=1), strict=True):
            hidden = layer(hidden, bias)
        memory = net.joint_norm(hidden)
        keys = torch.stack([_heads(layer.cross_attention.key(memory)) for layer in net.decoder])
        found = torch.stack([_heads(layer.cross_attention.value(memory)) for layer in net.decoder])
        return memory, net.pointed(memory), keys, found


class Writer(nn.Module):  # type: ignore[misc]
    """Run the decoder for one more action of each plan."""

    def __init__(self, network: PlanNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, hidden: Tensor, past_keys: Tensor, past_values: Tensor, memory_keys: Tensor, memory_values: Tensor
    ) -> tuple[Tensor, ...]:
        """Return the scores of fixed actions, the pointers, the scores of columns, and the new keys and values."""
        net, new_keys, new_values = self.network, [], []
        for number, layer in enumerate(net.decoder):
            normed = layer.self_norm(hidden)
            own = layer.self_attention
            key, value = _heads(own.key(normed)), _heads(own.value(normed))
            new_keys.append(key)
            new_values.append(value)
            keys, values = torch.cat([past_keys[number], key], dim=2), torch.cat([past_values[number], value], dim=2)
            hidden = hidden + own.output(_attend(_heads(own.query(normed)), keys, values))
            cross = layer.cross_attention
            query = _heads(cross.query(layer.cross_norm(hidden)))
            hidden = hidden + cross.output(_attend(query, memory_keys[number][None], memory_values[number][None]))
            inner = nn.functional.gelu(layer.widened(layer.inner_norm(hidden)))
            hidden = hidden + layer.narrowed(inner)
        hidden = net.decoder_norm(hidden)[:, 0]
        return (
            net.fixed(hidden),
            net.pointers(hidden),
            net.column(hidden),
            torch.stack(new_keys),
            torch.stack(new_values),
        )


def _heads(projected: Tensor) -> Tensor:
    return projected.unflatten(-1, (HEADS, SIZE // HEADS)).transpose(1, 2)


def _attend(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    scores = query @ keys.transpose(-1, -2) / (SIZE // HEADS) ** 0.5
    return (scores.softmax(dim=-1) @ values).transpose(1, 2).flatten(2)


def export_plan_model(network: PlanNetwork, tokenizer: Any, folder: Path) -> None:
    """Write the encoder, the reader, the writer, the tables, and the tokenizer into a folder."""
    network.cpu().eval()
    folder.mkdir(parents=True, exist_ok=True)
    export_encoder(network.encoder, folder / ENCODER_FILE)
    width = network.token.in_features
    reader_inputs = (
        torch.zeros(1, 7, width), torch.zeros(1, 9, SIZE), torch.zeros(1, 3, 7), torch.zeros(1, 3, dtype=torch.int64),
        torch.zeros(1, 19, 19, dtype=torch.int64),
    )  # fmt: skip
    export_module(
        Reader(network), reader_inputs, folder / READER_FILE, ["tokens", "elements", "spans", "forms", "links"],
        ["memory", "pointed", "keys", "values"],
        {"tokens": {1: "T"}, "elements": {1: "E"}, "spans": {1: "V", 2: "T"}, "forms": {1: "V"},
         "links": {1: "N", 2: "N"}, "memory": {1: "N"}, "pointed": {1: "N"}, "keys": {3: "N"}, "values": {3: "N"}},
    )  # fmt: skip
    head = SIZE // HEADS
    past = torch.zeros(DECODER_LAYERS, 2, HEADS, 3, head)
    memory = torch.zeros(DECODER_LAYERS, HEADS, 11, head)
    export_module(
        Writer(network), (torch.zeros(2, 1, SIZE), past, past, memory, memory), folder / WRITER_FILE,
        ["hidden", "past_keys", "past_values", "memory_keys", "memory_values"],
        ["fixed", "pointers", "columns", "new_keys", "new_values"],
        {"hidden": {0: "B"}, "past_keys": {1: "B", 3: "S"}, "past_values": {1: "B", 3: "S"}, "memory_keys": {2: "N"},
         "memory_values": {2: "N"}, "fixed": {0: "B"}, "pointers": {0: "B"}, "columns": {0: "B"},
         "new_keys": {1: "B"}, "new_values": {1: "B"}},
    )  # fmt: skip
    tables = {
        "action": network.action.weight, "group": network.group.weight, "position": network.position.weight,
        "variable": network.variable.weight, "element_weight": network.element.weight,
        "element_bias": network.element.bias, "element_type": network.element_type.weight,
    }  # fmt: skip
    np.savez(folder / TABLES_FILE, **{name: table.detach().numpy() for name, table in tables.items()})
    tokenizer.save(str(folder / TOKENIZER_FILE), pretty=False)


def export_module(
    module: nn.Module,
    inputs: tuple[Tensor, ...],
    file: Path,
    names: list[str],
    outputs: list[str],
    axes: dict[str, dict[int, str]],
) -> None:
    """Write a module as int8 ONNX; `axes` names the dimensions that may have any size."""
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        exact = Path(scratch) / "fp32.onnx"
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module, inputs, str(exact), input_names=names, output_names=outputs, dynamic_axes=axes, opset_version=17,
            dynamo=False,
        )  # fmt: skip
        _quantize(exact, file)
