"""Write triples as text: formats, templates, and English morphology."""
