"""Train the judge, which says which of several plans answers a question, if any does."""
