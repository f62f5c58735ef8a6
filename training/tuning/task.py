"""Name the tasks of knowledge-graph tuning."""

from enum import StrEnum


class Task(StrEnum):
    """Name the tasks: four of instruction tuning, continued pre-training on the graph, and reasoning training."""

    ENTITY = "entity"
    RELATION = "relation"
    GRAPH_TO_TEXT = "graph_to_text"
    TEXT_TO_GRAPH = "text_to_graph"
    GRAPH = "graph"
    REASONING = "reasoning"
