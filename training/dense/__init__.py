"""Train the encoder of the strategy dense by contrast (Bridging the Gap)."""
