"""Predict relation paths for a masked question."""

import os

# onnxruntime reports its use to its vendor unless this is set before it is imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
