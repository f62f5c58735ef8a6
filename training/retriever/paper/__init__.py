"""Train the paper's classifiers for the number of hops and the relation path."""
