"""Call other services: HTTP client, circuit breaker, readiness probe, and URLs."""
