"""What teaches the QA model to answer from facts."""
