"""Code that several services use: contracts, graph stores, language model client, HTTP, errors, settings."""

import os

__version__ = "0.1.0"

# onnxruntime sends usage data to its vendor unless this is set before it is imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
