"""Serve questions: the retriever, the rewriter, the answerer, and the embedded language model."""
