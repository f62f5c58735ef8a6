"""Call other services: HTTP client, connection pool, circuit breaker, and URLs."""
