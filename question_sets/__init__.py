"""Question files: their format, converters of published data sets, and journals for long passes over them."""
