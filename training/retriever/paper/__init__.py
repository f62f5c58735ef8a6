"""Train the paper's classifiers of hop numbers and relation paths."""
