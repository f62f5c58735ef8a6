from shared.suggestions import did_you_mean, similar_names


def test_similar_names_are_suggested_the_most_similar_one_first() -> None:
    assert similar_names("films", ["people", "film", "filmes2", ""]) == ["film", "filmes2"]
    assert did_you_mean("wrld", ["world", "people"]) == "; did you mean 'world'?"
    assert did_you_mean("wrld", ["people"]) == ""
