"""Predict relation paths for a masked question."""

import os

# onnxruntime sends telemetry to its vendor unless this variable is set before the import.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
