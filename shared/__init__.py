"""What more than one service needs, and only that: contracts, graph store, LLM client, cache, errors."""

import os

# onnxruntime reports its use to its maker unless this is set before its import.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
