"""Answer the questions that an owner pinned to plans."""
