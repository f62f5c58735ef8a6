"""Each part frozen and killed while it is asked."""
