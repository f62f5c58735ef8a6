"""Calibrate the confidence of the packaged plan model with questions that it has not seen."""
