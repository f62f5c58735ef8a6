"""Rewrite reasoning paths as text, and serve POST /rewrite."""
