"""What teaches a language model to verbalise triples."""
