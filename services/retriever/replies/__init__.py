"""Reply to a question by relation paths, by plans, or by a description, whichever reads it better."""
