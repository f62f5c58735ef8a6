"""Define the actions that build a plan, and which of them may follow."""
