"""What learns hop and relation path prediction; nothing that serves imports it."""
