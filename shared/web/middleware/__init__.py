"""Process every request in this order: observability, trusted host, body limit, concurrency limit, deadline."""
