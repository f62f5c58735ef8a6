"""From the trained classifiers to the files that serving reads: two int8 encoders, heads, tokenizer, manifest."""

import shutil
from pathlib import Path
from typing import Any

from services.retriever.prediction.encoder import TOKENIZER_FILE
from services.retriever.prediction.model_folder import Manifest, write_weights
from services.retriever.prediction.paper.model import HEADS_FILE, HOP_ENCODER_FILE, STEP_ENCODER_FILE, Heads
from training.retriever.export import export_encoder, write_manifest
from training.retriever.paper.network import TextClassifier


def export_paper_model(
    hops: TextClassifier, steps: TextClassifier, tokenizer: Any, manifest: Manifest, out: Path
) -> None:
    """Write a model folder anew; the manifest last, so that a folder with a manifest is a whole one."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    heads = {}
    for name, network, file in (("hop", hops, HOP_ENCODER_FILE), ("step", steps, STEP_ENCODER_FILE)):
        network.eval()
        export_encoder(network.encoder, out / file)
        heads[f"{name}_weight"] = network.head.weight.detach().numpy()
        heads[f"{name}_bias"] = network.head.bias.detach().numpy()
    write_weights(out / HEADS_FILE, Heads(**heads))
    tokenizer.save(str(out / TOKENIZER_FILE), pretty=False)
    write_manifest(manifest, out)
