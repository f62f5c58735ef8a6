"""What more than one service needs, and only that: contracts, graph store, LLM client, cache, errors."""
