"""Run the plan model: encode texts, read a question with a schema, and score the next actions of plans."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from language.question import Question
from language.values import QuestionValue
from services.retriever.encoder.encoder import OnnxEncoder, open_session
from services.retriever.encoder.matrix_threads import use_one_matrix_thread
from services.retriever.plans.grammar.actions import FIXED, MAX_VARIABLES, POINTERS, Action, Op
from services.retriever.plans.predictor.encoding import ActionIndex, EncodedSchema, encode_question, encode_schema
from services.retriever.plans.schema.element_text import element_texts
from services.retriever.plans.schema.schema_elements import SchemaElements

READER_FILE = "reader.onnx"
WRITER_FILE = "writer.onnx"
TABLES_FILE = "tables.npz"
_TEXT_TOKENS = 14
_KEPT = 20_000  # vectors of texts, of 1.5 KB each

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class PreparedSchema:
    """Hold a schema with the vectors of its elements, [E, size]."""

    elements: SchemaElements
    encoded: EncodedSchema
    vectors: Vectors


@dataclass(frozen=True)
class Reading:
    """Hold what the model has read: the vectors of tokens, elements, and values, and what the writer attends to.

    `memory` and `pointed` have shape [N, size]; `keys` and `values`, [layers, heads, N, size / heads].
    """

    schema: PreparedSchema
    index: ActionIndex
    tokens: int
    memory: Vectors
    pointed: Vectors
    keys: Vectors
    values: Vectors


@dataclass(frozen=True)
class Prefixes:
    """Hold the state of n unfinished plans of equal length.

    `keys` and `values` have shape [layers, n, heads, length, size / heads]; `scores`, [n, A], the scores of the next
    actions before they are normalised.
    """

    keys: Vectors
    values: Vectors
    scores: Vectors


class PlanModel:
    """Score the actions of plans; instances are safe for concurrent use."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """Load the model from a folder; raise NotFoundError or InvalidInputError as `OnnxEncoder` does.

        Its `encoder` of texts may be used by others, too.
        """
        self.encoder = OnnxEncoder(folder, threads)
        self._reader = open_session(folder / READER_FILE, threads)
        self._writer = open_session(folder / WRITER_FILE, threads)
        with np.load(folder / TABLES_FILE) as tables:
            self._tables: dict[str, Vectors] = {name: tables[name] for name in tables.files}
        self._means: dict[str, Vectors] = {}
        use_one_matrix_thread()
        self._scale = np.float32(self._tables["action"].shape[1] ** -0.5)

    def prepare(self, elements: SchemaElements) -> PreparedSchema:
        """Encode the elements of a schema; do this once for a graph, since it takes milliseconds for each element."""
        encoded = encode_schema(elements)
        texts = element_texts(elements)
        tables = self._tables
        pooled: Vectors = np.zeros((len(texts), self.encoder.dimension), dtype=np.float32)
        for place, text in enumerate(texts):
            pooled[place] = self._mean(text)
        vectors = pooled @ tables["element_weight"].T + tables["element_bias"] + tables["element_type"][encoded.types]
        return PreparedSchema(elements, encoded, np.asarray(vectors, dtype=np.float32))

    def _mean(self, text: str) -> Vectors:
        """Return the mean token vector of the text of an element; it is kept, since graphs are prepared again."""
        found = self._means.get(text)
        if found is None:
            [vectors] = self.encoder.encode([text])
            if len(self._means) >= _KEPT:
                self._means.clear()
            found = self._means[text] = np.asarray(vectors[:_TEXT_TOKENS].mean(axis=0))
        return found

    def read(self, question: Question, values: Sequence[QuestionValue], schema: PreparedSchema) -> Reading:
        """Read a question together with the elements of a schema and the values of the question."""
        vectors, offsets = self.encoder.encode_with_offsets(question.text)
        encoded = encode_question(question, offsets, values, schema.encoded)
        spans = np.zeros((len(values), len(offsets)), dtype=np.float32)
        for number, (first, last) in enumerate(encoded.spans):
            spans[number, first:last] = 1.0 / max(1, last - first)
        memory, pointed, keys, found = self._reader.run(
            None,
            {
                "tokens": vectors[None],
                "elements": schema.vectors[None],
                "spans": spans[None],
                "forms": encoded.forms[None],
                "links": encoded.links[None].astype(np.int64),
            },
        )
        index = ActionIndex(schema.encoded, len(values))
        return Reading(schema, index, len(offsets), memory[0], pointed[0], keys[:, 0], found[:, 0])

    def start(self, reading: Reading) -> Prefixes:
        """Score the first actions."""
        layers, heads, _, width = reading.keys.shape
        nothing = np.zeros((layers, 1, heads, 0, width), dtype=np.float32)
        hidden = self._tables["action"][FIXED] + self._tables["group"][0]
        return self._step(reading, hidden[None], nothing, nothing, [[]])

    def extend(
        self,
        reading: Reading,
        prefixes: Prefixes,
        rows: Sequence[int],
        actions: Sequence[Action],
        bound: Sequence[Sequence[int]],
    ) -> Prefixes:
        """Append an action to some of the plans, and score what may follow.

        Args:
            reading: What the model has read.
            prefixes: The plans so far.
            rows: Which plan each action extends.
            actions: The actions.
            bound: The elements that the variables of each extended plan stand for.
        """
        inputs = np.stack([self._input(reading, action, bound[row]) for row, action in enumerate(actions)])
        return self._step(reading, inputs, prefixes.keys[:, rows], prefixes.values[:, rows], bound)

    def _input(self, reading: Reading, action: Action, bound: Sequence[int]) -> Vectors:
        tables = self._tables
        if action.op < FIXED:
            return np.asarray(tables["action"][action.op] + tables["group"][0])
        hidden = tables["action"][FIXED] + tables["group"][POINTERS.index(action.op)]
        element = reading.index.element(action)
        if element is not None:
            return np.asarray(hidden + reading.pointed[reading.tokens + element])
        if action.op is Op.VALUE:
            place = reading.tokens + len(reading.schema.encoded.types) + action.number
            return np.asarray(hidden + reading.pointed[place])
        if action.op in (Op.FOCUS, Op.VARIABLE):
            return np.asarray(hidden + reading.pointed[reading.tokens + bound[action.number]])
        return np.asarray(hidden)

    def _step(
        self, reading: Reading, inputs: Vectors, keys: Vectors, values: Vectors, bound: Sequence[Sequence[int]]
    ) -> Prefixes:
        length = keys.shape[3]
        hidden = inputs + self._tables["position"][length]
        fixed, pointers, columns, new_keys, new_values = self._writer.run(
            None,
            {
                "hidden": hidden[:, None].astype(np.float32),
                "past_keys": keys,
                "past_values": values,
                "memory_keys": reading.keys,
                "memory_values": reading.values,
            },
        )
        scores = self._scores(reading, fixed, pointers, columns, bound)
        return Prefixes(np.concatenate([keys, new_keys], axis=3), np.concatenate([values, new_values], axis=3), scores)

    def _scores(
        self, reading: Reading, fixed: Vectors, pointers: Vectors, columns: Vectors, bound: Sequence[Sequence[int]]
    ) -> Vectors:
        count = len(reading.schema.encoded.types)
        out, inverse, both, value, focus, variable = np.split(pointers, 6, axis=1)
        first, last = reading.tokens, reading.tokens + count
        elements = reading.memory[first:last].T * self._scale
        bound_vectors = np.zeros((len(fixed), MAX_VARIABLES, out.shape[1]), dtype=np.float32)
        for row, numbers in enumerate(bound):
            places = [reading.tokens + number for number in numbers]
            bound_vectors[row, : len(places)] = reading.memory[places] + self._tables["variable"][: len(places)]
        bound_vectors *= self._scale
        return np.concatenate(
            [
                fixed, out @ elements, inverse @ elements, both @ elements,
                value @ (reading.memory[last:].T * self._scale),
                np.einsum("nd,nvd->nv", focus, bound_vectors), np.einsum("nd,nvd->nv", variable, bound_vectors),
                columns,
            ],
            axis=1,
        )  # fmt: skip
