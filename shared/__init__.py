"""Provide code that several services share, or that one service shares with an offline package."""

__version__ = "0.1.0"
