"""Train the model that predicts query plans."""
