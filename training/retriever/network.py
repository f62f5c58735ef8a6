"""Define the network that served mode trains: an encoder and the relation scorer on top of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from services.retriever.linking.masking import MASK
from services.retriever.paths.relation_scorer import RelationScorerWeights
from shared.text import readable
from training.retriever.encoder import (
    BertEncoder,
    limit_length,
    load_pretrained,
    small_encoder,
    tokenize,
    train_tokenizer,
)
from training.retriever.examples import MaskedQuestion, is_latin
from training.retriever.scoring import PathTable

_STATE_SIZE = 256
_CORRECTION_SCALE = 0.05
_CORRECTION_DROPOUT = 0.3
_MEANING_SCALE = 10.0


def build_network(
    pretrained: Path, relations: Sequence[str], training: Sequence[MaskedQuestion], table: PathTable, dropout: float
) -> tuple["RelationNetwork", Any]:
    """Return a network and its tokenizer; the encoder is MiniLM or, for a non-Latin script, small and untrained."""
    names = [readable(relation) for relation in relations]
    texts = [question.text.replace(MASK, "") for question in training]
    is_pretrained = is_latin(texts)
    if is_pretrained:
        encoder, tokenizer = load_pretrained(pretrained, dropout)
    else:
        tokenizer = train_tokenizer([*texts, *names])
        encoder = small_encoder(tokenizer, dropout)
    limit_length(tokenizer)
    seen = table.mask(frozenset(step for question in training for step in question.path))
    meanings = RelationNameVectors(encoder, tokenizer, names, is_pretrained)
    return RelationNetwork(encoder, meanings, torch.from_numpy(seen).float(), dropout), tokenizer


class RelationNameVectors(nn.Module):  # type: ignore[misc]
    """Represent each relation by a vector for its name, [relations, dimension].

    A pretrained encoder computes the vectors once, and training leaves them unchanged. Without one, each vector is the
    mean of the embeddings of the name's tokens, so it changes as training updates the embeddings.
    """

    def __init__(self, encoder: BertEncoder, tokenizer: Any, names: Sequence[str], is_pretrained: bool) -> None:
        super().__init__()
        token_ids, mask = tokenize(tokenizer, names)
        self.is_pretrained = is_pretrained
        self.register_buffer("token_ids", token_ids)
        self.register_buffer("kept", mask.float()[:, :, None] / mask.sum(dim=1)[:, None, None])
        encoder.eval()
        with torch.no_grad():
            hidden = encoder(token_ids, mask)
        self.register_buffer("fixed", (hidden * self.kept).sum(dim=1))

    def forward(self, words: nn.Embedding) -> Tensor:
        """Return the vectors; `words` holds the encoder's word embeddings."""
        return self.fixed if self.is_pretrained else (words(self.token_ids) * self.kept).sum(dim=1)


class RelationNetwork(nn.Module):  # type: ignore[misc]
    """Train the encoder together with the scorer defined in `services.retriever.paths.relation_scorer`.

    The steps are all relations in the forward direction, followed by all relations in the backward direction. `seen`,
    [steps], is 1 for each step that occurs in a training path. Only these steps have a learned correction.
    """

    def __init__(self, encoder: BertEncoder, meanings: RelationNameVectors, seen: Tensor, dropout: float) -> None:
        super().__init__()
        dimension = encoder.positions.embedding_dim
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.meanings = meanings
        self.register_buffer("seen", seen)
        self.named = nn.ModuleList(nn.Linear(dimension, _STATE_SIZE, bias=False) for _ in range(2))
        self.turned = nn.ModuleList(nn.Linear(dimension, dimension, bias=False) for _ in range(2))
        for turn in self.turned:
            nn.init.eye_(turn.weight)
        self.correction = nn.Parameter(torch.randn(len(seen), _STATE_SIZE) * _CORRECTION_SCALE)
        self.mean = nn.Linear(dimension, _STATE_SIZE, bias=False)
        self.kind = nn.Linear(_STATE_SIZE, _STATE_SIZE)
        self.query = nn.Linear(_STATE_SIZE, _STATE_SIZE, bias=False)
        self.key = nn.Linear(dimension, _STATE_SIZE, bias=False)
        self.value = nn.Linear(dimension, _STATE_SIZE, bias=False)
        self.wide = nn.Linear(2 * _STATE_SIZE, 2 * _STATE_SIZE)
        self.narrow = nn.Linear(2 * _STATE_SIZE, _STATE_SIZE)
        self.gru = nn.GRUCell(_STATE_SIZE, _STATE_SIZE)
        self.scale = nn.Parameter(torch.tensor([_MEANING_SCALE]))
        self.stop = nn.Linear(_STATE_SIZE, 1)

    def step_vectors(self) -> tuple[Tensor, Tensor]:
        """Return e_r, [steps, d], and m_r with length 1, [steps, dim], of each step (see `relation_scorer`)."""
        names = self.meanings(self.encoder.words)
        learned = torch.cat([project(names) for project in self.named])
        kept = self.seen
        if self.training:
            # Without its correction, a step looks like one that never occurs in training, so its name must suffice.
            kept = kept * (torch.rand_like(kept) > _CORRECTION_DROPOUT)
        meanings = torch.cat([turn(names) for turn in self.turned])
        return learned + self.correction * kept[:, None], nn.functional.normalize(meanings, dim=1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, topic_steps: Tensor, gold_steps: Tensor) -> Tensor:
        """Return the logits for each choice along the gold path, [n, hops + 1, steps + 1].

        The last column holds the logit of stopping. `topic_steps`, [n, steps], is 1 for the steps that leave the topic.
        `gold_steps`, [n, hops], holds the columns of the gold path's steps, padded with an arbitrary column.
        """
        hidden = self.encoder(input_ids, attention_mask)
        learned, meanings = self.step_vectors()
        kept = attention_mask.to(hidden.dtype)
        mean = (hidden * kept[:, :, None]).sum(dim=1) / kept.sum(dim=1, keepdim=True)
        kind = topic_steps @ learned / topic_steps.sum(dim=1, keepdim=True).clamp(min=1.0)
        state = torch.tanh(self.mean(self.dropout(mean)) + self.kind(kind))
        keys, values = self.key(hidden), self.value(hidden)
        logits = []
        for hop in range(gold_steps.shape[1] + 1):
            scores = torch.einsum("ntd,nd->nt", keys, self.query(state)) / _STATE_SIZE**0.5
            attention = (scores + (1.0 - kept) * -1e9).softmax(dim=1)
            attended = torch.einsum("nt,ntd->nd", attention, values)
            output = self.narrow(self.dropout(self.wide(torch.cat([state, attended], dim=1)).relu()))
            meaning = nn.functional.normalize(torch.einsum("nt,ntd->nd", attention, hidden), dim=1)
            by_meaning = self.scale * (meaning @ meanings.T)
            logits.append(torch.cat([self.dropout(output) @ learned.T + by_meaning, self.stop(output)], dim=1))
            if hop < gold_steps.shape[1]:
                state = self.gru(learned[gold_steps[:, hop]], state)
        return torch.stack(logits, dim=1)

    def scorer_weights(self) -> RelationScorerWeights:
        """Return the weights of the relation scorer in the form that serving reads."""
        self.eval()
        with torch.no_grad():
            steps, meanings = self.step_vectors()
        tensors = {
            "mean": self.mean.weight, "kind": self.kind.weight, "start_bias": self.kind.bias,
            "query": self.query.weight, "key": self.key.weight, "value": self.value.weight,
            "wide": self.wide.weight, "wide_bias": self.wide.bias,
            "narrow": self.narrow.weight, "narrow_bias": self.narrow.bias,
            "gru_input": self.gru.weight_ih, "gru_input_bias": self.gru.bias_ih,
            "gru_state": self.gru.weight_hh, "gru_state_bias": self.gru.bias_hh,
            "steps": steps, "meanings": meanings, "scale": self.scale,
            "stop": self.stop.weight[0], "stop_bias": self.stop.bias,
        }  # fmt: skip
        arrays = {name: tensor.detach().numpy().astype(np.float32) for name, tensor in tensors.items()}
        return RelationScorerWeights(**arrays)
