"""Export a trained model as the files that serving reads: int8 ONNX encoders, weights, tokenizer, and manifest."""

import logging
import shutil
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn

from ingestion.atomic_write import atomic_write
from services.retriever.encoder.encoder import TOKENIZER_FILE
from services.retriever.paths.model_folder import MANIFEST_FILE, Manifest, write_weights


@dataclass(frozen=True)
class TrainedFiles:
    """Hold the contents of a model folder except its manifest; encoders and weights are keyed by file name."""

    encoders: Mapping[str, nn.Module]
    weights: Mapping[str, Any]
    tokenizer: Any


def export_model(files: TrainedFiles, manifest: Manifest, folder: Path) -> None:
    """Replace a model folder; the manifest is written last, so that a folder with a manifest is complete."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file, encoder in files.encoders.items():
        export_encoder(encoder, folder / file)
    for file, weights in files.weights.items():
        write_weights(folder / file, weights)
    files.tokenizer.save(str(folder / TOKENIZER_FILE), pretty=False)
    write_manifest(manifest, folder)


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the manifest of a model folder atomically."""
    with atomic_write(folder / MANIFEST_FILE) as unfinished:
        unfinished.write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")


def export_encoder(encoder: nn.Module, file: Path) -> None:
    """Write an encoder, which maps token ids and an attention mask to token vectors, as int8 ONNX."""
    encoder.eval()
    example = torch.ones((2, 8), dtype=torch.int64)
    sizes = {0: "texts", 1: "tokens"}
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        exact = Path(scratch) / "fp32.onnx"
        # Torch's newer exporter requires onnxscript, a large package to install for a single call.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            encoder,
            (example, example),
            str(exact),
            input_names=["input_ids", "attention_mask"],
            output_names=["vectors"],
            dynamic_axes={"input_ids": sizes, "attention_mask": sizes, "vectors": sizes},
            opset_version=17,
            dynamo=False,
        )
        _quantize(exact, file)


def _quantize(exact: Path, file: Path) -> None:
    """Quantise weights and word embeddings to int8.

    With one scale per output channel, the cosine similarity to the exact vectors stays at 0.99. With one scale per
    matrix, it drops to 0.96.
    """
    logger = logging.getLogger()
    level = logger.level
    logger.setLevel(logging.ERROR)  # onnxruntime logs advice on preprocessing for every graph, in the root logger
    try:
        quantize_dynamic(str(exact), str(file), per_channel=True, weight_type=QuantType.QInt8)
    finally:
        logger.setLevel(level)
