"""Reasoning paths -> text."""
