"""From the trained network to the files that serving reads: int8 ONNX, heads, tokenizer, manifest."""

import logging
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from services.retriever.model import HEADS_FILE, MANIFEST_FILE, Heads, Manifest
from services.retriever.training.network import BertEncoder, Network
from shared.encoder import ENCODER_FILE, TOKENIZER_FILE


def export_model(network: Network, tokenizer: Path, manifest: Manifest, out: Path) -> None:
    """Write a model folder; the manifest last, so that a folder with a manifest is a whole one."""
    out.mkdir(parents=True, exist_ok=True)
    (out / MANIFEST_FILE).unlink(missing_ok=True)
    network.eval()
    with tempfile.TemporaryDirectory() as scratch:
        exact = Path(scratch) / "fp32.onnx"
        _to_onnx(network.encoder, exact)
        _quantise(exact, out / ENCODER_FILE)
    np.savez(out / HEADS_FILE, **_heads(network).__dict__)
    shutil.copyfile(tokenizer, out / TOKENIZER_FILE)
    (out / MANIFEST_FILE).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")


def _to_onnx(encoder: BertEncoder, file: Path) -> None:
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
            dynamic_axes={"input_ids": sizes, "attention_mask": sizes, "vectors": {0: "texts"}},
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


def _heads(network: Network) -> Heads:
    arrays = (
        layer.detach().numpy().astype(np.float32)
        for layer in (
            network.mixer.weight,
            network.mixer.bias,
            network.hop_head.weight,
            network.hop_head.bias,
            network.step_head.weight,
            network.step_head.bias,
        )
    )
    return Heads(*arrays)
