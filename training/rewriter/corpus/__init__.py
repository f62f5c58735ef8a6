"""Corpus generation: graph-text pairs to train a rewriter with, where nobody wrote any (RRA, section 4.2)."""
