"""What learns the paper's hop and relation path classifiers."""
