"""Build the demo graph of the world and its questions: countries, cities, currencies, languages, and airports."""
