"""Process every request in this order.

Observability, security headers, trusted host, CORS, API key, rate limit, body limit, concurrency limit, deadline.
"""
