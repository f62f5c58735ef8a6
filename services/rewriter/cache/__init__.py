"""Cache generated texts, in memory or in Redis."""
