"""Train the answerer's adapter to answer from facts."""
