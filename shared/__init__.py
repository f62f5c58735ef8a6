"""Provide what at least two services use, or one service and an offline room."""

__version__ = "0.1.0"
