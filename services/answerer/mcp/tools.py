"""Define the tools: what each does, for agents to read, and how it is done."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from contracts.answers import Evidence
from contracts.ask import AskRequest, CitedEvidence
from contracts.graphs import NeighboursRequest, NeighboursResponse, SchemaRequest
from contracts.plans import PlanRequest
from graph.plan.algebra import Column, Match, NodePattern, Order, Plan, Project, ShortestPaths, SortKey, Variable
from services.answerer.chat.citations import cited_evidence
from services.answerer.chat.evidence_store import EvidenceStore
from services.answerer.mcp.knowledge import Knowledge
from services.answerer.mcp.messages import (
    AskArguments,
    AskResult,
    ConnectArguments,
    ConnectResult,
    EvidenceArguments,
    ListedAnswer,
    ListedEvidence,
    ListedPath,
    PlanArguments,
    PlanResult,
    Reading,
    SchemaArguments,
    SchemaResult,
)
from services.answerer.mcp.schema_summary import summarised
from shared.errors import InvalidInputError
from shared.text import shortened
from texts.verbalise.paths import path_text

_MAX_LISTED = 100
_MAX_NAMESAKES = 3
_MAX_TEXT_CHARACTERS = 600
"""Length of the text of listed evidence; the tool `evidence` returns all of it."""

_Arguments = TypeVar("_Arguments", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class GraphTool:
    """A tool: what agents read about it, the types of its arguments and its result, and the function behind it."""

    name: str
    title: str
    description: str
    arguments: type[BaseModel]
    result: type[BaseModel]
    call: Callable[[Any], Awaitable[BaseModel]]


def graph_tools(knowledge: Knowledge, kept: EvidenceStore) -> Mapping[str, GraphTool]:
    """Return the tools by name; `kept` holds the evidence that results refer to."""
    tools = _Tools(knowledge, kept)
    listed = (
        _tool("ask", "Ask the knowledge graph", _ASK, AskArguments, AskResult, tools.ask),
        _tool("schema", "Describe the graph", _SCHEMA, SchemaArguments, SchemaResult, tools.schema),
        _tool("neighbours", "Look around an entity", _NEIGHBOURS, NeighboursRequest, NeighboursResponse, tools.around),
        _tool("connect", "Find what connects two entities", _CONNECT, ConnectArguments, ConnectResult, tools.connect),
        _tool("plan", "Run a query plan", _PLAN, PlanArguments, PlanResult, tools.plan),
        _tool("evidence", "Read the facts behind an answer", _EVIDENCE, EvidenceArguments, CitedEvidence, tools.facts),
    )
    return {tool.name: tool for tool in listed}


def _tool(
    name: str,
    title: str,
    description: str,
    arguments: type[_Arguments],
    result: type[BaseModel],
    call: Callable[[_Arguments], Awaitable[BaseModel]],
) -> GraphTool:
    return GraphTool(name, title, description, arguments, result, call)


@dataclass(frozen=True, slots=True)
class _Tools:
    knowledge: Knowledge
    kept: EvidenceStore

    async def ask(self, given: AskArguments) -> AskResult:
        request = AskRequest.model_validate(dict(given))
        reply = await self.knowledge.ask(request)
        cited = [cited_evidence(reply, given.question, index) for index in range(len(reply.evidence))]
        ids = [self.kept.add(one, given.graph) for one in cited]
        return AskResult(
            answer=reply.answer,
            abstained=reply.abstained,
            confidence=reply.confidence,
            answers=[
                ListedAnswer(value=one.value, id=one.id, kind=one.kind, detail=one.detail)
                for one in reply.answers[:_MAX_LISTED]
            ],
            columns=reply.columns,
            rows=reply.rows[:_MAX_LISTED],
            truncated=reply.truncated or max(len(reply.answers), len(reply.rows)) > _MAX_LISTED,
            unread=reply.unread,
            trusted=reply.trusted,
            clarification=reply.clarification,
            warnings=[warning.text for warning in reply.warnings],
            evidence=[_listed(id_, item.text) for id_, item in zip(ids, reply.evidence, strict=True)],
            alternatives=[
                Reading(plan=other.plan, score=other.score, answers=other.answers) for other in reply.alternatives
            ],
            plan=reply.plan.text if reply.plan else None,
            plan_steps=reply.plan.steps if reply.plan else [],
        )

    async def plan(self, given: PlanArguments) -> PlanResult:
        reply = await self.knowledge.plan(PlanRequest.model_validate(dict(given)))
        cited = [
            CitedEvidence(
                question=reply.plan,
                answers=[],
                text=item.text,
                triples=item.triples,
                omitted=item.omitted,
                plan=reply.plan,
            )
            for item in reply.evidence
        ]
        return PlanResult(
            plan=reply.plan,
            columns=reply.columns,
            rows=reply.rows,
            warnings=[warning.text for warning in reply.warnings],
            evidence=[_listed(self.kept.add(item, given.graph), item.text) for item in cited],
        )

    async def connect(self, given: ConnectArguments) -> ConnectResult:
        ends = [await self._entity(name, given) for name in (given.source, given.target)]
        if _ids(ends[0]) == _ids(ends[1]):
            said = f"source and target are the same entity, {ends[0].entity.name!r}"
            raise InvalidInputError(f"{said}; name two different ones, or use `neighbours`")
        reply = await self.knowledge.plan(PlanRequest(plan=_paths_plan(given, ends), graph=given.graph))
        paths = []
        for (nodes, _, degrees), places in zip(reply.rows, reply.row_evidence, strict=True):
            item = reply.evidence[places[0]] if places else Evidence(triples=[], text="")
            text = path_text([node["name"] for node in nodes], item.triples)
            cited = CitedEvidence(
                question=reply.plan, answers=[text], text=item.text, triples=item.triples, omitted=0, plan=reply.plan
            )
            paths.append(ListedPath(text=text, degrees=degrees, evidence=self.kept.add(cited, given.graph)))
        return ConnectResult(paths=paths, namesakes=(len(ends[0].namesakes), len(ends[1].namesakes)))

    async def _entity(self, name: str, given: ConnectArguments) -> NeighboursResponse:
        return await self.knowledge.neighbours(NeighboursRequest(entity=name, max_neighbours=1, graph=given.graph))

    async def schema(self, given: SchemaArguments) -> SchemaResult:
        schema = await self.knowledge.schema(SchemaRequest(graph=given.graph))
        graphs = tuple(graph.name for graph in (await self.knowledge.graphs()).graphs)
        return summarised(schema, given.kinds).model_copy(update={"graphs": graphs if len(graphs) > 1 else ()})

    async def around(self, given: NeighboursRequest) -> NeighboursResponse:
        return await self.knowledge.neighbours(given)

    async def facts(self, given: EvidenceArguments) -> CitedEvidence:
        return self.kept.get(given.id)


def _paths_plan(given: ConnectArguments, ends: Sequence[NeighboursResponse]) -> Plan:
    """Return the plan for the paths between two entities; its columns are their nodes, relationships, and degrees."""
    names = ("source", "target")
    matches = (Match((NodePattern(name, ids=_ids(end)),)) for name, end in zip(names, ends, strict=True))
    step = ShortestPaths(*names, types=given.relations, max_length=given.max_length, limit=given.limit)
    by_rank = Order((SortKey(Variable(step.rank)),))
    columns = tuple(Column(name, Variable(name)) for name in (step.nodes, step.relationships, step.degrees))
    return Plan((*matches, step, by_rank, Project(columns)))


def _ids(end: NeighboursResponse) -> tuple[str, ...]:
    """Return the IDs of an entity and of some of its namesakes."""
    return tuple(one.id for one in (end.entity, *end.namesakes))[:_MAX_NAMESAKES]


def _listed(id_: str, text: str) -> ListedEvidence:
    return ListedEvidence(id=id_, text=shortened(text, _MAX_TEXT_CHARACTERS))


_ASK = """\
Answer a question in plain language from the knowledge graph, with evidence and a calibrated confidence.
Use it first, for any question about what the graph contains: lookups ("What is the capital of France?"), counts,
comparisons, sorting, and several conditions. Ask one question at a time, whole and in the language of the graph, and
resolve pronouns yourself.

Read the result before you repeat it. `abstained` means that the graph does not have the answer, or that it is less
certain than `cost_of_wrong` asks for, as `warnings` says then: say so, or ask the user which of the `alternatives` is
meant, and do not answer from memory. If the user can judge an uncertain answer, ask again with a lower `cost_of_wrong`.
`unread` lists words that the answer ignores:
rephrase the question, or change `plan_steps` and run them with `plan`. If `truncated`, there are more answers. Cite
`evidence`."""

_SCHEMA = """\
Describe what the graph contains: kinds of nodes, their properties with sample values, and which kinds each relationship
type connects. Call it once, before `plan` or `neighbours`, or when `ask` does not know something that should be there.
Of a large graph it lists the most frequent parts; name `kinds` to see all that concerns them. If there are
several graphs, `graphs` lists them; each tool takes one as `graph`."""

_NEIGHBOURS = """\
Show one entity: its properties, and the nodes that relationships connect with it. Use it to check a name, to look at
what is known about something, or to walk from node to node. Give `entity`, a name, or `id`, from another result.
`is_incoming` means that the relationship points to the entity. If `namesakes` is not empty, several entities have the
name. If `truncated`, name the `relations` to follow, or count with `plan`."""

_CONNECT = """\
Find how two entities are connected: the shortest paths of relationships between them, each as a text with the id of its
facts for `evidence`. Use it for "How are Ann and Bob related?", and to see whether two things have anything to do with
each other. Without `paths`, nothing connects them within `max_length` relationships: say so. Paths through nodes with
few relationships come first; a node with very many, by `degrees`, connects almost all, and so says little. Name
`relations` to follow only some. If `namesakes` are not 0, several entities have the name."""

_PLAN = """\
Run a query plan on the graph, read-only: patterns, conditions, aggregates, sorting, limits. Use it when `ask` misreads
a question; begin with its `plan_steps`, and with the names that `schema` shows. A plan is checked before it runs; the
error names the step, what is wrong, and similar names, so correct it and try again. The result has all rows, or is an
error: count or limit in the plan if there are many. The resource kgqa://guide has examples."""

_EVIDENCE = """\
Return the facts (subject, relation, object) behind an item of evidence that `ask` or `plan` listed, by its `id`. Use it
when someone wants to see or check the facts themselves. Old ids are forgotten; ask again to get new ones."""
