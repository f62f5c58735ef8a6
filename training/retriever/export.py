"""From the trained network to the files that serving reads: int8 ONNX, step weights, tokenizer, manifest."""

import logging
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn

from ingestion.atomic_write import atomic_write
from services.retriever.prediction.encoder import ENCODER_FILE, TOKENIZER_FILE
from services.retriever.prediction.model_folder import MANIFEST_FILE, Manifest, write_weights
from services.retriever.prediction.relation_scorer import WEIGHTS_FILE, RelationScorerWeights
from training.retriever.network import StepNetwork

UNFINISHED = "unfinished-model"
"""Where in its folder a model is written until it is whole and calibrated."""


def export_model(network: StepNetwork, tokenizer: Any, manifest: Manifest, out: Path) -> None:
    """Write a model folder anew; the manifest last, so that a folder with a manifest is a whole one."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    network.eval()
    export_encoder(network.encoder, out / ENCODER_FILE)
    write_weights(out / WEIGHTS_FILE, step_weights(network))
    tokenizer.save(str(out / TOKENIZER_FILE), pretty=False)
    write_manifest(manifest, out)


def publish(unfinished: Path, out: Path) -> None:
    """Move a finished model to where it is served from; until then whatever was there before is whole."""
    out.mkdir(parents=True, exist_ok=True)
    (out / MANIFEST_FILE).unlink(missing_ok=True)
    for file in sorted(unfinished.iterdir(), key=lambda file: file.name == MANIFEST_FILE):
        file.replace(out / file.name)
    unfinished.rmdir()


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the manifest of a model folder, whole or not at all."""
    with atomic_write(folder / MANIFEST_FILE) as unfinished:
        unfinished.write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")


def export_encoder(encoder: nn.Module, file: Path) -> None:
    """Write an encoder, token ids and mask to token vectors, as int8 ONNX."""
    with tempfile.TemporaryDirectory() as scratch:
        exact = Path(scratch) / "fp32.onnx"
        _to_onnx(encoder, exact)
        _quantise(exact, file)


def _to_onnx(encoder: nn.Module, file: Path) -> None:
    example = torch.ones((2, 8), dtype=torch.int64)
    sizes = {0: "texts", 1: "tokens"}
    with warnings.catch_warnings():
        # torch's newer exporter needs onnxscript, which is a large package for one call.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            encoder,
            (example, example),
            str(file),
            input_names=["input_ids", "attention_mask"],
            output_names=["vectors"],
            dynamic_axes={"input_ids": sizes, "attention_mask": sizes, "vectors": sizes},
            opset_version=17,
            dynamo=False,
        )


def _quantise(exact: Path, file: Path) -> None:
    """Weights and word embeddings to int8.

    One scale per output channel keeps the vectors' cosine to the exact ones at .99, one per matrix only at .96.
    """
    logger = logging.getLogger()
    level = logger.level
    logger.setLevel(logging.ERROR)  # onnxruntime tells every quantised graph to be preprocessed, at root level
    try:
        quantize_dynamic(str(exact), str(file), per_channel=True, weight_type=QuantType.QInt8)
    finally:
        logger.setLevel(level)


def step_weights(network: StepNetwork) -> RelationScorerWeights:
    """The light step's arrays."""
    with torch.no_grad():
        steps, meanings = network.steps()
    tensors = {
        "mean": network.mean.weight,
        "kind": network.kind.weight,
        "start_bias": network.kind.bias,
        "query": network.query.weight,
        "key": network.key.weight,
        "value": network.value.weight,
        "wide": network.wide.weight,
        "wide_bias": network.wide.bias,
        "narrow": network.narrow.weight,
        "narrow_bias": network.narrow.bias,
        "gru_input": network.gru.weight_ih,
        "gru_input_bias": network.gru.bias_ih,
        "gru_state": network.gru.weight_hh,
        "gru_state_bias": network.gru.bias_hh,
        "steps": steps,
        "meanings": meanings,
        "scale": network.scale,
        "stop": network.stop.weight[0],
        "stop_bias": network.stop.bias,
    }
    return RelationScorerWeights(
        **{name: tensor.detach().numpy().astype(np.float32) for name, tensor in tensors.items()}
    )
