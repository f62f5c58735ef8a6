"""Call the answerer's HTTP API with a typed client, synchronous or asynchronous, which needs none of the services.

Example:
    >>> from kgqa.client import Client
    >>> with Client("http://127.0.0.1:8000") as client:
    ...     client.ask("Which countries border France?").answers[0].value
    'Andorra'
"""

from contracts.ask import AskRequest, AskResponse, CitedEvidence
from contracts.base import Strategy
from contracts.graphs import NeighboursResponse, SchemaResponse, ServedGraphDescription
from contracts.plans import PlanResponse
from contracts.rewrite import KnowledgeFormat
from kgqa.client.async_client import AsyncClient
from kgqa.client.errors import (
    BodyTooLargeError,
    BusyError,
    ClientError,
    ConnectionFailedError,
    DeadlineExceededError,
    DependencyError,
    ForbiddenError,
    HeadersTooLargeError,
    InternalError,
    InvalidInputError,
    InvalidRequestError,
    MethodNotAllowedError,
    NoSuchRouteError,
    NotFoundError,
    PlanLimitError,
    ProblemError,
    RequestTimeoutError,
    TooManyPathsError,
    UnauthenticatedError,
    UnexpectedReplyError,
    UnknownEntityError,
    UnknownGraphError,
)
from kgqa.client.events import (
    AnswersEvent,
    AskEvent,
    DiscardEvent,
    EvidenceEvent,
    PlanEvent,
    ResultEvent,
    TextEvent,
    TopicEvent,
)
from kgqa.client.retries import NO_RETRIES, Retries
from kgqa.client.sync_client import Client

__all__ = [
    "NO_RETRIES",
    "AnswersEvent",
    "AskEvent",
    "AskRequest",
    "AskResponse",
    "AsyncClient",
    "BodyTooLargeError",
    "BusyError",
    "CitedEvidence",
    "Client",
    "ClientError",
    "ConnectionFailedError",
    "DeadlineExceededError",
    "DependencyError",
    "DiscardEvent",
    "EvidenceEvent",
    "ForbiddenError",
    "HeadersTooLargeError",
    "InternalError",
    "InvalidInputError",
    "InvalidRequestError",
    "KnowledgeFormat",
    "MethodNotAllowedError",
    "NeighboursResponse",
    "NoSuchRouteError",
    "NotFoundError",
    "PlanEvent",
    "PlanLimitError",
    "PlanResponse",
    "ProblemError",
    "RequestTimeoutError",
    "ResultEvent",
    "Retries",
    "SchemaResponse",
    "ServedGraphDescription",
    "Strategy",
    "TextEvent",
    "TooManyPathsError",
    "TopicEvent",
    "UnauthenticatedError",
    "UnexpectedReplyError",
    "UnknownEntityError",
    "UnknownGraphError",
]
