"""Answer chat clients in OpenAI's format: conversations, follow-up questions, and citations."""
