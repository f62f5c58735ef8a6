"""List what a plan can name: kinds, connections, and properties, given or inferred."""
