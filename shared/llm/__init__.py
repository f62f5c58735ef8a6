"""Language models: the client protocol, the OpenAI-compatible client, the embedded server."""
