"""The three services: retriever, rewriter, answerer."""
