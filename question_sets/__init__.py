"""Read question files, convert published data sets, and record long runs in journals so that they can resume."""
