from hypothesis import given
from hypothesis import strategies as st

from graph.neo4j.cypher_text import quote


@given(st.text(min_size=1))
def test_no_name_closes_its_own_quotes(name: str) -> None:
    quoted = quote(name)
    inside = quoted[1:-1]
    assert quoted[0] == quoted[-1] == "`"
    assert "`" not in inside.replace("``", "")
    # Cypher decodes these escapes before it looks for the closing quote.
    assert inside.replace("\\u005C", "\\").replace("``", "`") == name
    assert "\\" not in inside.replace("\\u005C", "")
