"""Read and write English: words and their forms, numbers, dates, units, and what a question says."""
