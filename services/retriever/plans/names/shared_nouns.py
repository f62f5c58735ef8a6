"""Notice plans that read a noun as one of several kinds: `bikes`, where the graph has road bikes and cargo bikes."""

from graph.plan.algebra import HasKind, NodePattern, Plan
from graph.plan.traversal import walk
from language.english.stems import noun_stem
from language.question import Question
from services.retriever.plans.schema.schema_elements import SchemaElements


def reads_one_of_several(question: Question, plan: Plan, elements: SchemaElements) -> bool:
    """Return whether a plan reads a noun as one kind, although the names of others have it, too."""
    nouns = _narrowed(question, plan, elements)
    return any(not _exact(noun, elements) and len(_with(noun, elements)) > 1 for noun in nouns)


def _narrowed(question: Question, plan: Plan, elements: SchemaElements) -> set[str]:
    """Return the nouns that stand for one kind of a plan, of whose name the question has nothing else."""
    said = {noun_stem(question.text[word.start : word.end].lower()) for word in question.words}
    kinds = {kind for part in walk(plan) if isinstance(part, NodePattern) for kind in part.kinds}
    kinds |= {part.kind for part in walk(plan) if isinstance(part, HasKind)}
    found: set[str] = set()
    for kind in kinds:
        names = elements.kind_nouns.get(kind, ())
        shared = [said & name for name in names]
        if any(name and name <= said for name in names):
            continue
        for noun in {one for nouns in shared for one in nouns if len(nouns) == 1}:
            others = _with(noun, elements) - {kind}
            if others and others.isdisjoint(kinds):
                found.add(noun)
    return found


def _exact(noun: str, elements: SchemaElements) -> bool:
    return any(frozenset((noun,)) in names for names in elements.kind_nouns.values())


def _with(noun: str, elements: SchemaElements) -> set[str]:
    return {kind for kind, names in elements.kind_nouns.items() if any(noun in name for name in names)}
