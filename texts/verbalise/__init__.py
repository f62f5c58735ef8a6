"""Render triples as text: knowledge formats, sentence templates, and English morphology."""
