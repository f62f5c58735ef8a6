"""Read question files, convert published data sets, and keep journals of long passes over them."""
