"""Answer questions over HTTP: the retriever, the rewriter, the answerer, and the embedded language model."""
