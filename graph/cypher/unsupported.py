"""Define the error for Cypher that plans do not express."""

from shared.errors import InvalidInputError


class UnsupportedCypherError(InvalidInputError):
    """Raised for a Cypher construct that query plans do not express; the message names the construct."""
