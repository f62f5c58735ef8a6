"""Generate questions along a relation path: short questions for the retriever, full sentences for the answerer.

Both kinds nest noun phrases, starting at the topic entity, so that the first step becomes the innermost phrase:
`capital`, `borders` -> "What borders the capital of France?".
"""

import random
from collections.abc import Callable, Iterable, Sequence

from graph.store import RelationPath, inverse_step
from training.synthetic.evidence import Step
from training.synthetic.question_patterns import sharing_questions, step_patterns
from training.synthetic.wording import QuestionPatterns

X = "{x}"
"""The placeholder for the topic entity in a question."""

Choose = Callable[[tuple[str, ...]], str]
"""A function that picks one of several patterns, such as `random.Random.choice`."""

_QUESTION_SHARE = 0.65
_CARELESS_SHARE = 0.2
_FRAMES = (
    "What is {x}?", "What are {x}?", "Which is {x}?", "Name {x}.", "Tell me {x}.", "List {x}.", "Give me {x}.",
    "Can you tell me {x}?", "Do you know {x}?", "I want to know {x}.", "{x}", "Find {x}.",
)  # fmt: skip


def short_question(path: RelationPath, choose: Choose) -> str:
    """Generate a short lowercase question, with `{x}` for the topic entity, from the relation names in a path.

    Example:
        >>> short_question(("directed_by", "born_in"), lambda patterns: patterns[0])
        'what is the one who directed {x} born in'
    """
    *before, last = map(step_patterns, path)
    topic = _nested(before, X, choose)
    questions = tuple(pattern.replace(X, topic) for pattern in last.questions)
    if len(path) == 2 and path[1] == inverse_step(path[0]):
        return choose(sharing_questions(path[0]) + questions)
    return choose(questions)


def full_question(steps: Sequence[Step], topic: str, random_: random.Random) -> str:
    """Generate a question in plain English that a relation path answers.

    Some questions start in lower case or lack the question mark, as if typed in a hurry.
    """
    *before, last = (step.asking for step in steps)
    known = _nested(before, topic, random_.choice)
    if random_.random() < _QUESTION_SHARE:
        question = random_.choice(last.questions).replace(X, known)
    else:
        frame = random_.choice(_FRAMES)
        question = frame.replace(X, _nested([last], known, random_.choice))
    if random_.random() < _CARELESS_SHARE:
        question = question[0].lower() + question[1:]
    return question.rstrip("?.") if random_.random() < _CARELESS_SHARE else question


def _nested(steps: Iterable[QuestionPatterns], known: str, choose: Choose) -> str:
    """Return a noun phrase for the entities that the steps reach from a known entity."""
    for patterns in steps:
        # `str.format` would interpret braces in names.
        known = choose(patterns.phrases).replace(X, known)
    return known
