"""The paper's own hop and relation path prediction (RRA, section 4.1.1), to compare served mode with."""
