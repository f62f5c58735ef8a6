"""Generate English questions with the query plans that they ask for, over invented schemas and over real ones."""
