"""Read question files, convert published data sets, and journal long runs over them so that they can resume."""
