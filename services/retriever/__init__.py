"""Retrieve answers with evidence: question -> topic entities -> relation paths -> reasoning paths."""
