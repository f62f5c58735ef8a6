"""Call language models: client, request coalescing, prompt escaping, and settings."""
