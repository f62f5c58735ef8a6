"""Fine-tune language models by LoRA and export the adapters, for the rewriter and the answerer."""
