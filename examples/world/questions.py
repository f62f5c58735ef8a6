"""Generate questions about the demo graph: `python -m examples.world.questions`."""

import argparse
import json
import lzma
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from examples.world.graph import HERE, GraphIndex, key, read_graph
from examples.world.noise import fill, misspell, roughen
from examples.world.topics import TopicPools
from examples.world.wordings import SPLITS, QuestionKind, check_disjoint, composed_kinds, read_carriers, read_kinds

SEED = 20260901
MAX_ANSWERS = 100
QUESTIONS_PER_KIND = {"train": 260, "valid": 10, "test": 16}
QUESTIONS_PER_COMPOSED_KIND = 30
UNANSWERABLE = {"train": 1800, "valid": 60, "test": 105}
UNANSWERABLE_SHARES = {"known": 0.72, "unknown": 0.1, "chat": 0.18}
NOISE = {"train": 0.25, "valid": 0.2, "test": 0.25}
CHAT_NOISE = 0.4
TYPOS = {"train": 0.14, "valid": 0.12, "test": 0.16}
CARRIED = 0.12
ALIASES = {"train": 0.15, "valid": 0.15, "test": 0.2}


@dataclass(frozen=True)
class Question:
    """Hold one line of a question file."""

    question: str
    topic: str | None
    answers: tuple[str, ...]
    path: tuple[str, ...]
    kind: str

    def line(self) -> str:
        """Return the question as JSON."""
        row = {"question": self.question, "topic": self.topic, "answers": self.answers, "path": self.path}
        return json.dumps(row, ensure_ascii=False)


class QuestionGenerator:
    """Generate the questions for one split."""

    def __init__(self, index: GraphIndex, pools: TopicPools, split: str) -> None:
        self.rng = random.Random(f"{SEED}-{split}")
        self._index, self._pools, self._split = index, pools, split
        self._seen: set[str] = set()
        self._carriers = read_carriers() if split == "train" else []

    def of_kind(self, kind: QuestionKind, count: int) -> list[Question]:
        """Generate questions of one kind, using each wording about equally often."""
        questions: list[Question] = []
        wordings = list(kind.wordings[self._split])
        topics = self._pools.topics(kind, MAX_ANSWERS)
        self.rng.shuffle(wordings)
        for attempt in range(count * 4):
            if len(questions) == count:
                break
            topic = topics.draw(self.rng)
            text = self._text(wordings[attempt % len(wordings)], self._mention(topic))
            if self._is_new(text):
                answers = tuple(self._index.answers(topic, kind.path))
                questions.append(Question(text, topic, answers, tuple(kind.path), kind.name))
        return questions

    def unanswerable(self, kinds: list[QuestionKind], answerable: list[QuestionKind], count: int) -> list[Question]:
        """Generate questions that the graph cannot answer: about known or unknown places, and small talk."""
        known, chat = kinds
        questions: list[Question] = []
        place_types = (["country"], ["bordercountry"], ["city"])
        simple = [k for k in answerable if len(k.path) == 1 and k.topic_types in place_types]
        for name, share in UNANSWERABLE_SHARES.items():
            target = len(questions) + round(count * share)
            for _ in range(round(count * share) * 8):
                if len(questions) >= target:
                    break
                topic = None
                if name == "chat":
                    text = self._chat(chat)
                elif name == "unknown":
                    text = self._about_unknown_place(simple)
                else:
                    topic = self._pools.any_place().draw(self.rng)
                    text = self._text(self.rng.choice(known.wordings[self._split]), self._mention(topic))
                if self._is_new(text):
                    questions.append(Question(text, topic, (), (), name))
        return questions

    def _chat(self, kind: QuestionKind) -> str:
        text = self.rng.choice(kind.wordings[self._split])
        return roughen(text if self.rng.random() < 0.7 else misspell(text, self.rng), self.rng, CHAT_NOISE)

    def _about_unknown_place(self, kinds: list[QuestionKind]) -> str:
        place = self.rng.choice(self._pools.unknown(self._split))
        wording = self.rng.choice(self.rng.choice(kinds).wordings[self._split])
        return roughen(fill(wording, place, self.rng), self.rng, NOISE[self._split])

    def _mention(self, topic: str) -> str:
        """Return a name or alias of the topic that refers to no other entity."""
        others = [a for a in self._index.aliases.get(topic, []) if self._index.all_meanings(a) == {topic}]
        others = [a for a in others if len(a) != 2 or a in ("US", "UK", "EU", "LA", "SF")]
        if (topic, "continent") in self._index.out and self.rng.random() < 0.9:
            others = [a for a in others if len(a) != 3 or a in ("USA", "UAE", "DRC", "KSA")]
        return self.rng.choice(sorted(others)) if others and self.rng.random() < ALIASES[self._split] else topic

    def _text(self, wording: str, mention: str) -> str:
        """Insert a mention into a wording, and occasionally add typos and surrounding words."""
        draw = self.rng.random()
        if draw < TYPOS[self._split] / 2:
            misspelled = misspell(mention, self.rng, letters_only=True)
            mention = mention if self._index.all_meanings(misspelled) else misspelled
        elif draw < TYPOS[self._split]:
            wording = misspell(wording, self.rng)
        text = fill(wording, mention, self.rng)
        if self._carriers and self.rng.random() < CARRIED:
            text = self.rng.choice(self._carriers).replace("{q}", text)
        return roughen(text, self.rng, NOISE[self._split])

    def _is_new(self, question: str) -> bool:
        form = key(question).strip("?.! ")
        is_new = form not in self._seen
        self._seen.add(form)
        return is_new


def generate_split(index: GraphIndex, pools: TopicPools, split: str) -> tuple[list[Question], list[Question]]:
    """Generate the answerable and the unanswerable questions for a split, each in random order."""
    kinds = read_kinds("one_hop_countries", "one_hop_others", "two_hops", "three_hops", "inverse")
    unanswerable_kinds = read_kinds("unanswerable")
    check_disjoint(kinds + unanswerable_kinds)
    generator = QuestionGenerator(index, pools, split)
    answerable = [question for kind in kinds for question in generator.of_kind(kind, QUESTIONS_PER_KIND[split])]
    if split == "train":
        for kind in composed_kinds(kinds):
            answerable += generator.of_kind(kind, QUESTIONS_PER_COMPOSED_KIND)
    unanswerable = generator.unanswerable(unanswerable_kinds, kinds, UNANSWERABLE[split])
    generator.rng.shuffle(answerable)
    generator.rng.shuffle(unanswerable)
    return answerable, unanswerable


def write_questions(questions: list[Question], path: Path) -> None:
    """Write the questions as JSON Lines, compressed if the file name ends in `.xz`."""
    data = "".join(question.line() + "\n" for question in questions).encode()
    path.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME) if path.suffix == ".xz" else data)


def main() -> None:
    """Generate, write, and count the questions for all splits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE / "questions")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    index = GraphIndex(read_graph())
    pools = TopicPools(index)
    for split in SPLITS:
        answerable, unanswerable = generate_split(index, pools, split)
        if split == "train":
            both = answerable + unanswerable
            random.Random(SEED).shuffle(both)
            write_questions(both, out / "train.jsonl.xz")
        else:
            write_questions(answerable, out / f"{split}.jsonl")
            write_questions(unanswerable, out / f"unanswerable-{split}.jsonl")
        hops = Counter(len(question.path) for question in answerable)
        kinds, paths = {q.kind for q in answerable}, {q.path for q in answerable}
        print(
            f"{split}: {len(answerable)} answerable ({dict(sorted(hops.items()))} by hops, {len(kinds)} kinds, "
            f"{len(paths)} paths, {len({q.topic for q in answerable})} topics), {len(unanswerable)} unanswerable"
        )


if __name__ == "__main__":
    main()
