"""Predict relation paths for a masked question."""
