"""Train the components of the pipeline; the serving code imports nothing from this package."""
