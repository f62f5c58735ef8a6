"""Predict query plans: from the words of a question and the elements of a schema to a plan."""
