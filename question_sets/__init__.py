"""Published data sets, read into the project's own question format."""
