"""Retrieve answers and their evidence: question -> topic entities -> relation paths -> reasoning paths."""
