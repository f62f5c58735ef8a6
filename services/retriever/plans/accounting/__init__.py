"""Account for the words of a question: which of them a plan reads, and which it leaves unread."""
