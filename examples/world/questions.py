"""Make the questions of the demo graph: `python -m examples.world.questions`."""

from __future__ import annotations

import argparse
import json
import lzma
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from examples.world.composed import composed_kinds
from examples.world.paths import Index, key
from examples.world.pools import Pools
from examples.world.store import HERE, read_graph
from examples.world.wording import (
    SPLITS,
    Kind,
    assert_disjoint,
    fill,
    misspell_wording,
    read_carriers,
    read_kinds,
    rough,
    typo,
)

FOLDER = HERE / "questions"
SEED = 20260901
MAX_ANSWERS = 100
SIZES = {"train": 260, "valid": 10, "test": 16}
COMPOSED = 30
UNANSWERABLE = {"train": 1800, "valid": 60, "test": 105}
NOISE = {"train": 0.25, "valid": 0.2, "test": 0.25}
TYPOS = {"train": 0.14, "valid": 0.12, "test": 0.16}
CARRIED = 0.12
ALIASES = {"train": 0.15, "valid": 0.15, "test": 0.2}


@dataclass(frozen=True)
class Question:
    """One line of a question file."""

    question: str
    topic: str | None
    answers: tuple[str, ...]
    path: tuple[str, ...]
    kind: str

    def line(self) -> str:
        """The question as JSON."""
        row = {"question": self.question, "topic": self.topic, "answers": list(self.answers), "path": list(self.path)}
        return json.dumps(row, ensure_ascii=False)


class Maker:
    """Makes the questions of one split."""

    def __init__(self, index: Index, pools: Pools, split: str) -> None:
        self.index, self.pools, self.split = index, pools, split
        self.rng = random.Random(f"{SEED}-{split}")
        self.seen: set[str] = set()
        self.carriers = read_carriers() if split == "train" else []

    def mention(self, topic: str) -> str:
        """A name of the topic, one that means nothing else."""
        others = [a for a in self.index.aliases.get(topic, []) if self.index.all_meanings(a) == {topic}]
        others = [a for a in others if len(a) != 2 or a in ("US", "UK", "EU", "LA", "SF")]
        if self.index.step(topic, "continent") and self.rng.random() < 0.9:
            others = [a for a in others if len(a) != 3 or a in ("USA", "UAE", "DRC", "KSA")]
        if others and self.rng.random() < ALIASES[self.split]:
            return self.rng.choice(sorted(others))
        return topic

    def misspelt(self, mention: str) -> str:
        """The mention with a typing error, if it stays a name of nothing else."""
        words = mention.split(" ")
        long = [i for i, word in enumerate(words) if len(word) >= 5 and word.isalpha()]
        if not long:
            return mention
        at = self.rng.choice(long)
        words[at] = typo(words[at], self.rng)
        wrong = " ".join(words)
        return wrong if not self.index.all_meanings(wrong) else mention

    def text(self, wording: str, mention: str) -> str:
        """A question with this wording and mention."""
        draw = self.rng.random()
        if draw < TYPOS[self.split] / 2:
            mention = self.misspelt(mention)
        elif draw < TYPOS[self.split]:
            wording = misspell_wording(wording, self.rng)
        text = fill(wording, mention, self.rng)
        if self.carriers and self.rng.random() < CARRIED:
            text = self.rng.choice(self.carriers).replace("{q}", text)
        return rough(text, self.rng, NOISE[self.split])

    def fresh(self, question: str) -> bool:
        """Whether the question is not in the split yet."""
        form = key(question).strip("?.! ")
        if form in self.seen:
            return False
        self.seen.add(form)
        return True

    def kind(self, kind: Kind, size: int) -> list[Question]:
        """Questions of one kind; each wording is used about equally often."""
        made: list[Question] = []
        wordings = list(kind.wordings[self.split])
        topics = self.pools.topics(kind, MAX_ANSWERS)
        self.rng.shuffle(wordings)
        for attempt in range(size * 4):
            if len(made) == size:
                break
            topic = self.pools.draw(topics, self.rng)
            question = self.text(wordings[attempt % len(wordings)], self.mention(topic))
            if self.fresh(question):
                answers = tuple(self.index.answers(topic, kind.path))
                made.append(Question(question, topic, answers, tuple(kind.path), kind.name))
        return made

    def unanswerable(self, kinds: list[Kind], answerable: list[Kind], size: int) -> list[Question]:
        """Questions that the graph holds no answer to: of known things, of unknown places, and small talk."""
        known, chat = kinds
        shares = {"known": 0.72, "unknown": 0.1, "chat": 0.18}
        made: list[Question] = []
        simple = [k for k in answerable if len(k.path) == 1 and k.pools in (["country"], ["bordercountry"], ["city"])]
        for name, share in shares.items():
            target = len(made) + round(size * share)
            for _ in range(round(size * share) * 8):
                if len(made) >= target:
                    break
                topic, text = self.one_unanswerable(name, known, chat, simple)
                if self.fresh(text):
                    made.append(Question(text, topic, (), (), name))
        return made

    def one_unanswerable(self, name: str, known: Kind, chat: Kind, simple: list[Kind]) -> tuple[str | None, str]:
        """Topic and text of one question without an answer."""
        if name == "chat":
            text = self.rng.choice(chat.wordings[self.split])
            return None, rough(text if self.rng.random() < 0.7 else misspell_wording(text, self.rng), self.rng, 0.4)
        if name == "unknown":
            place = self.rng.choice(self.pools.unknown(self.split))
            wording = self.rng.choice(self.rng.choice(simple).wordings[self.split])
            return None, rough(fill(wording, place, self.rng), self.rng, NOISE[self.split])
        topic = self.pools.draw(self.pools.anything(), self.rng)
        return topic, self.text(self.rng.choice(known.wordings[self.split]), self.mention(topic))


def make_split(index: Index, pools: Pools, split: str) -> tuple[list[Question], list[Question]]:
    """The answerable and the unanswerable questions of a split, both in random order."""
    kinds = read_kinds(("one_hop_countries", "one_hop_others", "two_hops", "three_hops"))
    none = read_kinds(("unanswerable",))
    assert_disjoint(kinds + none)
    maker = Maker(index, pools, split)
    good = [question for kind in kinds for question in maker.kind(kind, SIZES[split])]
    if split == "train":
        good += [question for kind in composed_kinds(kinds) for question in maker.kind(kind, COMPOSED)]
    bad = maker.unanswerable(none, kinds, UNANSWERABLE[split])
    maker.rng.shuffle(good)
    maker.rng.shuffle(bad)
    return good, bad


def write(questions: list[Question], path: Path) -> None:
    """Write JSON Lines, compressed where the name says so."""
    data = "".join(question.line() + "\n" for question in questions).encode()
    path.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME) if path.suffix == ".xz" else data)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER)
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    index = Index(read_graph())
    pools = Pools(index)
    for split in SPLITS:
        good, bad = make_split(index, pools, split)
        if split == "train":
            both = good + bad
            random.Random(SEED).shuffle(both)
            write(both, out / "train.jsonl.xz")
        else:
            write(good, out / f"{split}.jsonl")
            write(bad, out / f"unanswerable-{split}.jsonl")
        hops = Counter(len(question.path) for question in good)
        kinds, paths = {q.kind for q in good}, {q.path for q in good}
        print(
            f"{split}: {len(good)} answerable ({dict(sorted(hops.items()))} by hops, {len(kinds)} kinds, "
            f"{len(paths)} paths, {len({q.topic for q in good})} topics), {len(bad)} unanswerable"
        )


if __name__ == "__main__":
    main()
