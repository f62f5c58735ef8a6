"""Read what people call the kinds, properties, and relations of a graph: `rpts_to: reports to, boss, manager`."""

from difflib import get_close_matches
from pathlib import Path

from graph.plan.schema import GraphSchema
from shared.errors import InvalidInputError, NotFoundError
from training.synthetic.plans.own_schema import Descriptions

_MAX_LENGTH = 60


def read_descriptions(file: Path, schema: GraphSchema) -> Descriptions:
    """Read a file with one element per line: its name in the graph, a colon, and other names, separated by commas.

    Blank lines, and lines that begin with #, are ignored.

    Raises:
        NotFoundError: There is no such file.
        InvalidInputError: A line is malformed, or names what the graph does not have.
    """
    if not file.is_file():
        raise NotFoundError(f"file of descriptions not found: {file}")
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{file}: not UTF-8 text: {error}") from error
    keys = {key for kind in schema.kinds.values() for key in kind.properties}
    keys |= {key for relationship in schema.relationships.values() for key in relationship.properties}
    known = ({*schema.kinds} - {""}) | {*schema.relationships} | keys
    found: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, colon, rest = line.partition(":")
        texts = tuple(" ".join(text.split()) for text in rest.split(",") if text.strip())
        where = f"{file}, line {number}"
        if not colon or not texts:
            raise InvalidInputError(
                f"{where}: expected a name and its descriptions, such as 'rpts_to: reports to, boss'"
            )
        if long := next((text for text in texts if len(text) > _MAX_LENGTH), None):
            raise InvalidInputError(f"{where}: {long[:20]!r}... has more than {_MAX_LENGTH} characters; shorten it")
        if name.strip() not in known:
            close = get_close_matches(name.strip(), known, 1)
            hint = f"did you mean {close[0]!r}?" if close else "kgqa schema lists what it has"
            raise InvalidInputError(f"{where}: the graph has no kind, property, or relation {name.strip()!r}; {hint}")
        found[name.strip()] = (*found.get(name.strip(), ()), *texts)
    return found
