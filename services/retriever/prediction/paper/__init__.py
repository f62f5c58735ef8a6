"""Predict hop numbers and relation paths as the paper does (RRA, section 4.1.1), to compare with served mode."""
