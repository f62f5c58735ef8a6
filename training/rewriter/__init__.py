"""Train the rewriter's adapter to verbalise triples."""
