"""Check generated text against the evidence that a model was given."""
