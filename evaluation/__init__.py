"""Measure the services' pipelines, in this process, on questions with gold answers."""
