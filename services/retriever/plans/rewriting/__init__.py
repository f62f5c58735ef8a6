"""Rewrite predicted plans where the words of a question say more than actions do."""
