"""Train the rewriter's adapter to verbalize triples."""
