"""Read synonyms from the files of WordNet, which Debian's package `wordnet-base` installs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

WORDNET = Path("/usr/share/wordnet")
_PARTS = ("noun", "verb", "adj")
_FIRST_FIELDS = 4  # of an entry in an index: lemma, part of speech, and two counts; symbols of pointers follow


@dataclass
class WordNet:
    """Look up synonyms; instances keep what they found.

    Attributes:
        folder: The folder of the files; without it, words have no synonyms.
    """

    folder: Path = WORDNET
    _index: dict[str, Mapping[str, int]] = field(default_factory=dict)
    _found: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def synonyms(self, word: str) -> tuple[str, ...]:
        """Return the other single words of the most frequent sense of a word, nouns first."""
        if word not in self._found:
            self._found[word] = next((found for part in _PARTS if (found := self._of_part(word, part))), ())
        return self._found[word]

    def _of_part(self, word: str, part: str) -> tuple[str, ...]:
        file = self.folder / f"data.{part}"
        if not file.is_file() or (offset := self._entries(part).get(word)) is None:
            return ()
        with file.open("rb") as lines:
            lines.seek(offset)
            fields = lines.readline().decode("ascii").split()
        count = int(fields[3], 16)
        lemmas = [fields[4 + 2 * place].split("(")[0].lower() for place in range(count)]
        return tuple(one for one in dict.fromkeys(lemmas) if one != word and one.isalpha())

    def _entries(self, part: str) -> Mapping[str, int]:
        """Return where the first sense of each lemma is described; senses are sorted by their frequency."""
        if part not in self._index:
            entries = {}
            for line in (self.folder / f"index.{part}").read_text(encoding="ascii").splitlines():
                if line.startswith(" "):  # the licence
                    continue
                fields = line.split()
                first = _FIRST_FIELDS + int(fields[3]) + 2
                entries[fields[0]] = int(fields[first])
            self._index[part] = entries
        return self._index[part]
