"""Build a property graph from MetaQA's triples: the same relationships between nodes with kinds and properties."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bench.stores.film_patterns import POSITION, YEAR
from ingestion.sqlite_writer import GraphWriter

FILM = "Film"
_KINDS = {
    "directed_by": "Person",
    "written_by": "Person",
    "starred_actors": "Person",
    "release_year": "Year",
    "in_language": "Language",
    "has_tags": "Tag",
    "has_genre": "Genre",
    "has_imdb_rating": "Rating",
    "has_imdb_votes": "Votes",
}
Triple = tuple[str, str, str]


def read_triples(file: Path) -> list[Triple]:
    """Read the TSV file that `kgqa convert metaqa` writes."""
    with file.open(encoding="utf-8") as lines:
        return [(s, r, o) for s, r, o in (line.rstrip("\n").split("\t") for line in lines)]


def write_film_graph(triples: Sequence[Triple], file: Path) -> None:
    """Write a graph file in which each relationship knows its position among those of its film and type."""
    kinds: dict[str, set[str]] = defaultdict(set)
    years: dict[str, int] = {}
    for subject, relation, object_ in triples:
        kinds[subject].add(FILM)
        kinds[object_].add(_KINDS[relation])
        if relation == YEAR:
            years.setdefault(subject, int(object_))
    positions: Counter[tuple[str, str]] = Counter()
    with closing(GraphWriter(file)) as writer:
        for name, found in kinds.items():
            properties = {"name": name} | ({YEAR: years[name]} if name in years else {})
            writer.add_node(name, sorted(found), properties)
        for subject, relation, object_ in triples:
            positions[subject, relation] += 1
            writer.add_relationship(subject, relation, object_, {POSITION: positions[subject, relation]})
        writer.finish()
