"""Predict hop numbers and relation paths as the paper does (RRA, section 4.1.1), for comparison with served mode."""
