"""Train the retriever, which predicts the number of hops and the relation path of a question."""
