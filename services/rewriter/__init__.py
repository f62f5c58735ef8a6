"""Rewrite reasoning paths to text, and serve POST /rewrite."""
