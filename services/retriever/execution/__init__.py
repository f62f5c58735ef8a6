"""Run relation paths and the plans of callers on the graph, and collect answers with evidence."""
