"""Quote names for Cypher, which accepts no parameters in their place."""


def quote(name: str) -> str:
    """Quote a variable, label, type, or property name, whatever it contains.

    Neo4j decodes Unicode escapes before it looks for the closing quote, so backslashes are escaped as well.
    """
    return "`" + name.replace("\\", "\\u005C").replace("`", "``") + "`"
