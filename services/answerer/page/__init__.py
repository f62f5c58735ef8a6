"""Hold the page on which people ask the graph."""
