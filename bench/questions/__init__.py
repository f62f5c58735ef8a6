"""Hold the questions that benchmarks ask, the graphs that they are about, and the programs that check the answers."""
