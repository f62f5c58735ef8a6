"""Tell which words of a question may stand for words of a trusted question."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from graph.plan.schema import GraphSchema
from language.english.shape import EXACT, FILLERS, root
from language.english.stems import spelt_out
from services.retriever.encoder.word_vectors import WordVectors
from services.retriever.plans.schema.similar_words import SIMILAR, words_for

NEAR = 0.8
"""The least cosine similarity of words that mean the same, chosen on the split `dev` of the trusted questions."""


class NearWords:
    """Compare words of questions with the words of a trusted question, in view of all words of the schema."""

    def __init__(self, schema: GraphSchema, vectors: WordVectors) -> None:
        self._vectors = vectors
        names = [*schema.kinds, *schema.relationships]
        names += [key for kind in schema.kinds.values() for key in kind.properties]
        names += [one for meaning in schema.meanings.values() for one in (*meaning.names, *meaning.inverse_names)]
        self._schema = {root(word): word for name in names for word in schema_words(name)}
        self._of_nodes: set[str] = set()
        self._names_with = Counter(one for name in set(names) for one in set(map(root, schema_words(name))))

    def learn(self, words: Iterable[str]) -> None:
        """Encode words before they are compared."""
        self._vectors.learn((*words, *self._schema.values()))

    def learn_names(self, words: Iterable[str]) -> None:
        """Learn words that name nodes, which are not like others: where nodes are named `Dog`, dogs are no pets."""
        self._of_nodes.update(map(root, words))

    def is_near(self, word: str, meant: Collection[str], by_likeness: bool = True, by_list: bool = True) -> bool:
        """Return whether a word stands for one of the words that are meant.

        It does if it has the same stem. Otherwise, it must not name another part of the graph, and must be known to
        stand for one of the words, or be so like one that no other word of the schema is more like it.

        Args:
            word: The word of a question.
            meant: Words of a trusted question or its plan.
            by_likeness: Whether it is enough to be like a word.
            by_list: Whether it is enough to be known to stand for a word.
        """
        own, roots = root(word), {root(one): one for one in meant}
        if own in roots:
            return True
        if self._means_itself(word):
            return False
        if by_list and self.is_known_for(word, meant):
            return True
        return by_likeness and not self.names_node(word) and self._is_like(word, roots, by_list)

    def names_node(self, word: str) -> bool:
        """Return whether a word is known to name a node."""
        return root(word) in self._of_nodes

    def is_in_schema(self, word: str) -> bool:
        """Return whether a name of the schema has a word."""
        return root(word) in self._schema

    def tells_name(self, word: str) -> bool:
        """Return whether exactly one name of the schema has a word: `offset`, if only `utc_offset` has it."""
        return self._names_with[root(word)] == 1

    def is_known_for(self, word: str, meant: Collection[str]) -> bool:
        """Return whether a word is known to stand for one of the words that are meant: `high` for `elevation`."""
        return not SIMILAR.get(root(word), frozenset()).isdisjoint(map(root, meant))

    def is_like(self, word: str, meant: Collection[str], least: float) -> bool:
        """Return whether the encoder finds a word, which does not stand only for itself, like one of those meant."""
        if self._means_itself(word) or self.names_node(word) or not meant:
            return False
        self._vectors.learn((word, *meant))
        return self._likeness(word, list(meant)) >= least

    def _means_itself(self, word: str) -> bool:
        return self.is_in_schema(word) or not EXACT.isdisjoint((word, root(word)))

    def _likeness(self, word: str, meant: Sequence[str]) -> float:
        """Return the cosine similarity of a word with the most similar of some words."""
        [own] = self._vectors.of([word])
        return float((self._vectors.of(meant) @ own).max())

    def _is_like(self, word: str, roots: dict[str, str], by_list: bool) -> bool:
        # `telephone` is like `phone`, which is known to stand for `calling`.
        known = {root(one): one for one in sorted(words_for(roots)) if root(one) not in self._schema} if by_list else {}
        meant = [one for stem, one in {**known, **roots}.items() if EXACT.isdisjoint((stem, one))]
        others = [one for stem, one in self._schema.items() if stem not in roots]
        if not meant:
            return False
        self._vectors.learn(meant)
        best = self._likeness(word, meant)
        return best >= NEAR and not (others and self._likeness(word, others) > best)


def schema_words(name: str) -> list[str]:
    """Return the words of the name of a kind, a relationship type, or a property, without those that say nothing."""
    return [word for word in spelt_out(name) if word not in FILLERS]
