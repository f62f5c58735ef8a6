from pathlib import Path

from training.planning.wordnet import WordNet

_LICENCE = "  1 This is a licence.\n"


def _write(folder: Path) -> None:
    line = "00000003 04 n 03 boss 0 chief(a) 0 head_of_staff 0 000 | a person in charge\n"
    (folder / "data.noun").write_text(_LICENCE + line, encoding="ascii")
    index = f"boss n 2 1 @ 2 1 {len(_LICENCE):08} 00000099\n"
    (folder / "index.noun").write_text(_LICENCE + index, encoding="ascii")


def test_synonyms_are_the_other_words_of_the_first_sense(tmp_path: Path) -> None:
    _write(tmp_path)
    words = WordNet(tmp_path)
    assert words.synonyms("boss") == ("chief",)
    assert words.synonyms("chief") == ()


def test_there_are_no_synonyms_without_the_files(tmp_path: Path) -> None:
    assert WordNet(tmp_path).synonyms("boss") == ()
