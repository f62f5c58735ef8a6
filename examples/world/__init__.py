"""A demo graph of the world: countries, cities, currencies, languages and airports."""
