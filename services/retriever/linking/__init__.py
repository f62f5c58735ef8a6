"""Link a question to its topic entities."""
