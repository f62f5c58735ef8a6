"""Build the demo graph of countries, cities, currencies, languages, and airports, and generate its questions."""
