"""The forms in which facts are put before the QA model (RRA, section 5; YAML: Bridging the Gap; sentences: UniOQA).

    triples   (France, capital, Paris) (France, borders, Spain) (France, borders, Italy)
    template  The capital of France is Paris. France borders Spain and Italy.
    yaml      France:
                capital: [Paris]
                borders: [Spain, Italy]
    none      nothing: the model has to know

The fifth, `text`, takes a language model: see `rewrite.py`.
"""

from collections.abc import Sequence

from shared.contracts import KnowledgeFormat
from shared.triple import Triple
from shared.verbalise.formats import as_triples, as_yaml
from shared.verbalise.template import as_sentences


def render(facts: Sequence[Triple], knowledge_format: KnowledgeFormat) -> str:
    """Facts in a form that needs no language model; `text` is rendered as `template`, which stands in for it."""
    match knowledge_format:
        case KnowledgeFormat.TRIPLES:
            return as_triples(facts)
        case KnowledgeFormat.YAML:
            return as_yaml(facts)
        case KnowledgeFormat.NONE:
            return ""
        case _:
            return as_sentences(facts)
