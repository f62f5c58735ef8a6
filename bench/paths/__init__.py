"""Measure the prediction of relation paths, including their training."""
