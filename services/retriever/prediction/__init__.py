"""Predict the relation paths that a masked question means."""
