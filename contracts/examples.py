"""Provide the examples in the OpenAPI documents."""

from typing import Any

PLAN_EXAMPLE: dict[str, Any] = {
    "steps": [
        {
            "op": "match",
            "nodes": [{"variable": "country"}, {"variable": "neighbour"}],
            "relationships": [{"source": "country", "target": "neighbour", "types": ["borders"]}],
            "where": {
                "op": "comparison",
                "operator": "=",
                "left": {"op": "property", "variable": "country", "key": "name"},
                "right": {"op": "constant", "value": "France"},
            },
        },
        {"op": "group", "keys": [], "aggregates": [{"name": "neighbours", "function": "count"}]},
    ]
}

ASK_EXAMPLE: dict[str, Any] = {
    "answer": "The currency of Turkey, whose capital is Ankara, is Turkish Lira.",
    "cited_answer": "The currency of Turkey, whose capital is Ankara, is Turkish Lira [1].",
    "citations": [{"evidence": 0, "at": 64}],
    "answer_type": "entities",
    "answers": [
        {"value": "Turkish Lira", "id": "Turkish Lira", "kind": None, "detail": None, "score": 0.984, "evidence": [0]}
    ],
    "columns": [],
    "rows": [],
    "truncated": False,
    "confidence": 0.984,
    "abstained": False,
    "alternatives": [],
    "plan": {
        "text": "Ankara <-capital- () -currency-> answer",
        "steps": [
            {
                "op": "match",
                "nodes": [{"variable": "topic", "ids": ["Ankara"]}, {"variable": "hop1"}, {"variable": "answer"}],
                "relationships": [
                    {"source": "hop1", "target": "topic", "types": ["capital"]},
                    {"source": "hop1", "target": "answer", "types": ["currency"]},
                ],
            },
            {
                "op": "project",
                "columns": [{"name": "answer", "value": {"op": "variable", "name": "answer"}}],
                "distinct": True,
            },
        ],
        "query": None,
    },
    "topic_entities": [{"entity": "Ankara", "id": "Ankara", "detail": None, "mention": "Ankara", "score": 0.999}],
    "hops": {"predicted": 2, "probabilities": [0.0, 0.0, 1.0, 0.0]},
    "relation_paths": [{"relations": ["^capital", "currency"], "score": 0.984}],
    "evidence": [
        {
            "triples": [
                {"subject": "Turkey", "relation": "capital", "object": "Ankara"},
                {"subject": "Turkey", "relation": "currency", "object": "Turkish Lira"},
            ],
            "text": "The capital of Turkey is Ankara, and the currency is Turkish Lira.",
            "omitted": 0,
        }
    ],
    "omitted_evidence": 0,
    "warnings": [],
    "degraded": [],
    "timings_ms": {"link": 1.0, "retrieve": 6.4, "rewrite": 3.6, "answer": 266.3, "total": 277.3},
    "request_id": "8da89d4d869f457ba1031de5b42526ae",
}
