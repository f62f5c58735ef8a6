"""Import files that are odd, damaged, or from public bug reports."""
