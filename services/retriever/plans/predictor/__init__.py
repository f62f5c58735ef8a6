"""Predict the most probable plans for a question."""
