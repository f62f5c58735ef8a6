"""Pack examples into sequences that contain each shared prefix once.

All prompts of a task share a prefix (the system message and the first words of the template), and several questions may
share the same facts. A pack is therefore a tree of tokens, with an attention mask that restricts each token to its own
branch. Packing gives the same gradients as separate sequences at half to two thirds of the cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from shared.errors import InvalidInputError
from training.lora.task import Pair


@dataclass(frozen=True, slots=True)
class Example:
    """Hold a pair as one sequence of tokens: the prompt, followed by the completion."""

    tokens: list[int]
    prompt_length: int


@dataclass(frozen=True, slots=True)
class Pack:
    """Hold several examples in one sequence, as the model's inputs with a batch size of one.

    `targets` are the tokens that the model learns to predict at the positions `predicting`.
    """

    inputs: dict[str, torch.Tensor]
    predicting: torch.Tensor
    targets: torch.Tensor
    examples: int

    def to(self, device: torch.device) -> "Pack":
        """Copy the pack to a device."""
        inputs = {name: tensor.to(device) for name, tensor in self.inputs.items()}
        return Pack(inputs, self.predicting.to(device), self.targets.to(device), self.examples)


def encode(tokenizer: Any, pairs: Sequence[Pair], max_tokens: int) -> list[Example]:
    """Encode pairs with the chat template and an end-of-turn token; skip pairs longer than `max_tokens`.

    Raise InvalidInputError if the model has no chat template.
    """
    if not tokenizer.chat_template:
        raise InvalidInputError(
            "this model's tokenizer has no chat template; use the chat (or instruct) version of the model"
        )
    examples = []
    for pair in pairs:
        messages = [{"role": "user", "content": pair.prompt}]
        rendered = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        prompt = tokenizer.encode(rendered, add_special_tokens=False)
        completion = [*tokenizer.encode(pair.completion, add_special_tokens=False), tokenizer.eos_token_id]
        if len(prompt) + len(completion) <= max_tokens:
            examples.append(Example(prompt + completion, len(prompt)))
    return examples


def pack_all(examples: Sequence[Example], pack_tokens: int) -> list[Pack]:
    """Pack the examples in order; consecutive examples in a pack share their common prefix."""
    packs: list[Pack] = []
    current: list[Example] = []
    length = 0
    for example in examples:
        added = len(example.tokens) - (_common(current[-1], example) if current else 0)
        if current and length + added > pack_tokens:
            packs.append(pack(current))
            current, length, added = [], 0, len(example.tokens)
        current.append(example)
        length += added
    if current:
        packs.append(pack(current))
    return packs


def pack(examples: Sequence[Example]) -> Pack:
    """Build one pack from these examples."""
    tokens: list[int] = []
    positions: list[int] = []
    predicting: list[int] = []
    targets: list[int] = []
    branches: list[tuple[list[int], int, int]] = []
    path: list[int] = []  # the position in the pack of each token of the example
    for before, example in zip([None, *examples], examples, strict=False):
        shared = _common(before, example) if before else 0
        start = len(tokens)
        tokens += example.tokens[shared:]
        positions += range(shared, len(example.tokens))
        path = [*path[:shared], *range(start, len(tokens))]
        branches.append((path[:shared], start, len(tokens)))
        predicting += path[example.prompt_length - 1 : -1]
        targets += example.tokens[example.prompt_length :]
    visible = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    for ancestors, start, end in branches:
        visible[start:end, ancestors] = True
        visible[start:end, start:end] = torch.ones(end - start, end - start, dtype=torch.bool).tril()
    inputs = {
        "input_ids": torch.tensor([tokens]),
        "position_ids": torch.tensor([positions]),
        "attention_mask": visible[None, None],
    }
    return Pack(inputs, torch.tensor(predicting), torch.tensor(targets), len(examples))


def _common(first: Example, second: Example) -> int:
    """Return the length of the common prefix of two examples."""
    pairs = zip(first.tokens, second.tokens, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first.tokens), len(second.tokens)))
