"""Compare the graph stores, and time them."""
