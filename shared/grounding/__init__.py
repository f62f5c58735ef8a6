"""Check generated text against the facts that a model was given."""
