"""Encode texts and words as vectors."""
