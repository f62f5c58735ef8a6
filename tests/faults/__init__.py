"""Freeze and kill each production part while clients ask."""
