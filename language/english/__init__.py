"""Know English."""
