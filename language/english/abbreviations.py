"""Write out the abbreviations in the names of kinds, properties, and relations."""

import tomllib
from pathlib import Path

ABBREVIATIONS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""Map from abbreviation to the word that it most often stands for."""
