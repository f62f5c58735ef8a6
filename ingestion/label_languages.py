"""Order the languages of labels, the first of which names an entity."""

_ALL_LANGUAGES = "mul"  # Wikidata's tag for a name that is the same in most languages


class LabelLanguages:
    """Rank language tags: the preferred language, `mul`, no language, English, then the others."""

    def __init__(self, preferred: str | None = None) -> None:
        """Prefer a language such as `de`, which stands for `de-AT` as well, or only `de-AT`."""
        self._preferred = preferred.lower() if preferred else None
        self._ranks: dict[str | None, int] = {None: 3}

    def rank(self, tag: str | None) -> int:
        """Return the rank of a label with this tag; the lowest rank is the best."""
        known = self._ranks.get(tag)
        if known is None:
            known = self._ranks[tag] = self._rank((tag or "").lower())
        return known

    def _rank(self, tag: str) -> int:
        if self._preferred is not None:
            if tag == self._preferred:
                return 0
            if tag.startswith(f"{self._preferred}-"):
                return 1
        if tag == _ALL_LANGUAGES:
            return 2
        return 4 if tag.split("-")[0] == "en" else 5
