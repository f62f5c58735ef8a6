"""Answer a question from text, and serve POST /ask."""
