"""Walk predicted relation paths and collect answers with evidence."""
