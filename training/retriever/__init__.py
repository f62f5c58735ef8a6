"""Train the prediction of hop numbers and relation paths."""
