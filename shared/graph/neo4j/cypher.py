"""What every Cypher text needs: names as Cypher reads them."""


def identifier(name: str) -> str:
    """A label, type or property name as Cypher reads it, whatever it contains.

    Cypher turns `\\u0060` into a backtick before it looks for a name's end, so backslashes are spelt as codes, too.
    """
    return "`" + name.replace("\\", "\\u005c").replace("`", "``") + "`"
