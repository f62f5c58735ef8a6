"""Serve the embedded language model over OpenAI's HTTP API."""
