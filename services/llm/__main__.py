"""Run the embedded language model: `python -m services.llm`."""

from services.llm.embedded import main

main()
