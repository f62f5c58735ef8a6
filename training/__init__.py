"""Train the parts of the pipeline; serving imports nothing from here."""
