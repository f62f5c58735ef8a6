"""Examples packed into sequences that hold each shared beginning once.

All prompts of one task begin alike (system message and the template's first words), and several questions may be asked
of the same facts. So a pack is a tree of tokens, in which an attention mask lets each token see its own branch. This
gives the very gradients that separate sequences give, at half to two thirds of the cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from shared.errors import InvalidInputError
from training.lora.task import Pair


@dataclass(frozen=True, slots=True)
class Example:
    """A pair as tokens: prompt and completion in one sequence."""

    tokens: list[int]
    prompt_length: int


@dataclass(frozen=True, slots=True)
class Pack:
    """One sequence of several examples.

    `inputs` are the model's (batch of one); `predicting`: the positions whose next token is learnt; `targets`: those
    tokens; `examples`: how many there are.
    """

    inputs: dict[str, torch.Tensor]
    predicting: torch.Tensor
    targets: torch.Tensor
    examples: int

    def to(self, device: torch.device) -> "Pack":
        """The same on another device."""
        inputs = {name: tensor.to(device) for name, tensor in self.inputs.items()}
        return Pack(inputs, self.predicting.to(device), self.targets.to(device), self.examples)


def encode(tokenizer: Any, pairs: Sequence[Pair], max_tokens: int) -> list[Example]:
    """Token ids of each pair under the model's chat template, with the end-of-turn token after the completion.

    Pairs longer than `max_tokens` are left out. Raises InvalidInputError for a model without a chat template.
    """
    if not tokenizer.chat_template:
        raise InvalidInputError("this model's tokenizer has no chat template; take the chat (or instruct) model")
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
    """Pack the examples in their order; neighbours that begin alike share that beginning."""
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
    """One pack of these examples."""
    tokens: list[int] = []
    positions: list[int] = []
    predicting: list[int] = []
    targets: list[int] = []
    branches: list[tuple[list[int], int, int]] = []
    path: list[int] = []  # where in the sequence each token of the example stands
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
    """The number of tokens with which both begin."""
    pairs = zip(first.tokens, second.tokens, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first.tokens), len(second.tokens)))
