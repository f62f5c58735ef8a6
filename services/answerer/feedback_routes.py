"""Serve `POST /feedback`."""

from fastapi import APIRouter

from contracts.feedback import FeedbackRequest, FeedbackResponse
from services.answerer.feedback import FeedbackStore
from services.answerer.restricted_retrieval import RestrictedRetrieval
from shared.errors import NotFoundError


def feedback_router(kept: FeedbackStore | None, retrieval: RestrictedRetrieval) -> APIRouter:
    """Return the route that keeps right answers, if the service has a file for them."""
    router = APIRouter()

    @router.post(
        "/feedback",
        tags=["ask"],
        summary="Say what the right answer to a question is, for the next training",
        operation_id="feedback",
        status_code=201,
    )
    async def give_feedback(request: FeedbackRequest) -> FeedbackResponse:
        if kept is None:
            raise NotFoundError("this service keeps no feedback; its operator can set KGQA_ANSWERER_FEEDBACK_FILE")
        graph = request.graph
        if kept.by_graph or graph is not None:
            graph = await retrieval.graph_named(graph)
        await kept.add(request.model_copy(update={"graph": graph}))
        return FeedbackResponse(kept=True)

    return router
