"""Assemble plans from actions."""
