"""Measures the services through their public functions: data set readers, metrics, report."""
