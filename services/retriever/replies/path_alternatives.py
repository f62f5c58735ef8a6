"""List relation paths beside the one that answers, as the alternatives of a reply."""

from collections.abc import Sequence

from contracts.retrieve import Alternative
from graph.plan.checks import write_plan
from graph.store import WalkRule
from services.retriever.paths.path_plans import path_plan, path_text
from services.retriever.paths.sampling import WalkedPath
from services.retriever.replies.plan_replies import MAX_ALTERNATIVES, MAX_PREVIEW, MIN_SCORE


def path_alternatives(ranked: Sequence[WalkedPath], rule: WalkRule) -> list[Alternative]:
    """Describe the best of some paths, which are in order, with a preview of what they reach."""
    return [
        Alternative(
            plan=path_text(candidate.topic.entity, candidate.path.relations),
            topic_entity=candidate.topic.entity.name,
            relations=list(candidate.path.relations),
            score=candidate.score,
            answers=[end.entity.name for end in walk.reached[:MAX_PREVIEW]],
            more=max(0, len(walk.reached) - MAX_PREVIEW),
            steps=write_plan(path_plan(candidate.topic.entity, candidate.path.relations, rule))["steps"],
        )
        for candidate, walk in ranked[:MAX_ALTERNATIVES]
        if candidate.score >= MIN_SCORE
    ]
