"""Measure the texts of replies: their names and values, and how people or metrics judge them."""
