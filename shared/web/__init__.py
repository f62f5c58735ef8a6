"""Build and run an HTTP service: factory, server, middleware, and problem+json errors."""
