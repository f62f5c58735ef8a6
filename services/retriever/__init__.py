"""Question -> topic entities -> relation paths -> reasoning paths."""

import shared  # noqa: F401 - disables the telemetry of onnxruntime, which the modules below import
