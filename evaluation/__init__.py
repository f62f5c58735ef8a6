"""Run the services' pipelines in this process, and measure them on questions with gold answers."""
