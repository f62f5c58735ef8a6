"""Call language models: client and settings, request coalescing, and prompt escaping."""
