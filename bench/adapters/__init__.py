"""Measure the language models that this project trains, and train them."""
