"""Find triples by the similarity of their texts to a question (Bridging the Gap)."""
