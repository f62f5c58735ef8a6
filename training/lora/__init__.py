"""LoRA training and export, shared by the rewriter and the answerer."""
