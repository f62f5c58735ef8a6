"""Generate training questions and texts from a graph or from invented facts."""
